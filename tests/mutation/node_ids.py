"""A pytest plugin for mutmut 3.8, which asks tests for `_nodeid`: in pytest 9.2 that is no attribute any more."""

import pytest

setattr(pytest.Item, "_nodeid", property(lambda item: item.nodeid))  # noqa: B010
