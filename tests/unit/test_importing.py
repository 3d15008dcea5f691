"""What is imported uncollected is never looked through by the garbage collector, which goes on after it."""

import gc

import pytest

from mcp_tasks.importing import uncollected


def test_nothing_is_collected_meanwhile_and_what_was_made_is_left_out_of_later_collections() -> None:
    frozen = gc.get_freeze_count()

    with uncollected():
        collecting, made = gc.isenabled(), [object()]

    assert not collecting
    assert gc.isenabled()
    assert gc.get_freeze_count() > frozen
    assert not any(each is made for each in gc.get_objects())


def test_collections_go_on_where_an_import_fails() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError

    assert gc.isenabled()


def test_a_process_that_collects_nothing_goes_on_so() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
