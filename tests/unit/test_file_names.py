"""Names of files that no file system refuses, changes or takes for another one."""

import re

import pytest

from local.file_names import file_name


@pytest.mark.parametrize(
    "part",
    [
        *("CON", "con", "nul.txt", "com1", "lpt9.a.b", "..", ".", "", "a.", "Ada", "a b", "a~b", "a:b", "a\\b", "a/b"),
        *("%c3", "é", "\0", "x" * 151, "~" + "0" * 64, "a\n"),
    ],
)
def test_a_name_that_is_no_file_everywhere_is_hashed(part: str) -> None:
    assert re.fullmatch("~[0-9a-f]{64}", file_name(part))


@pytest.mark.parametrize("end", ["", ".txt", ".a.b"])
def test_no_device_of_windows_is_a_name(end: str) -> None:
    devices = ["con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789")]

    assert [each for each in devices if file_name(f"{each}{end}") == f"{each}{end}"] == []
    assert file_name(f"con1{end}") == f"con1{end}"


@pytest.mark.parametrize("part", ["acme#ada", "acme#%C3%A9", "a.b", "contact", "x" * 150, "0123abcd"])
def test_a_name_that_is_a_file_everywhere_stays(part: str) -> None:
    assert file_name(part) == part
