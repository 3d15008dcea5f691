"""Authorization responses of the wrong issuer are refused, and of none anything stays in the tab."""

import pytest

from tests.page.conftest import Driven
from tests.page.rev_2026_07_28.authorization_responses import authorization_responses
from tests.page.rev_2026_07_28.test_login import guarded

pytestmark = pytest.mark.slow

IN, REFUSED = "signed in", "Another issuer answered than was asked."
OTHER = "https://login.example.com"


@pytest.mark.parametrize(
    ("promises", "names", "says"),
    [
        (True, ["self"], [IN]),
        # It sent its name before, and its metadata says that it does: one response without is another issuer's.
        (True, ["self", None], [IN, REFUSED]),
        (True, [OTHER], [REFUSED]),
        (False, [None], [IN]),
        (False, ["self"], [IN]),
        (False, [OTHER], [REFUSED]),
        (False, [""], [REFUSED]),
    ],
)
def test_login_is_refused_unless_the_issuer_that_was_asked_answers(
    driven: Driven, promises: bool, names: list[str | None], says: list[str]
) -> None:
    with (
        authorization_responses(promises, *names) as issuer,
        guarded(issuer.url, client=True, admit=issuer.admit) as address,
    ):
        found = driven("signs_in", address, given={"origins": [issuer.url], "times": len(names)})

    assert found["says"] == says
    # A refused code reaches no token endpoint, and a response that comes again reaches none either.
    assert (issuer.exchanged, found["responses"]) == (says.count(IN), len(names) + 1)
    assert (found["address"], found["again"]) == (f"{address}#/tasks", address)
    assert [each for each in found["history"] if "code=" in each or "state=" in each] == []
    assert found["kept"] == {}
    assert found["referrers"] == []
