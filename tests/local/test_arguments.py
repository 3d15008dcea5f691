"""An argument that a command cannot use is refused in a sentence, before anything is read."""

from collections.abc import Callable, Sequence

import pytest

from local import audit, issuer, prune, tenant, top

Main = Callable[[list[str]], object]


@pytest.mark.parametrize(
    ("main", "arguments", "says"),
    [
        (top.main, ["--every", "x"], "--every: it is a number of seconds from 1 to 86,400, not 'x'"),
        (top.main, ["--every", "0"], "--every: it is a number of seconds from 1 to 86,400, not '0'"),
        (top.main, ["--every", "inf"], "--every: it is a number of seconds from 1 to 86,400, not 'inf'"),
        (top.main, ["--every", "nan"], "--every: it is a number of seconds from 1 to 86,400, not 'nan'"),
        (top.main, ["--url", "nonsense"], "--url: it is a URL such as http://127.0.0.1:8000/mcp, not 'nonsense'"),
        (top.main, ["--url", "http://a:b/mcp"], "--url: it is a URL such as http://127.0.0.1:8000/mcp"),
        (audit.main, ["--since", "yesterday"], "--since: it is a date or a time, as 2026-11-25 or 2026-11-25T08:00"),
        (audit.main, ["--check", "/not/there"], "--check: there is no file '/not/there'"),
        (prune.main, ["--days", "nan"], "--days: it is a number of days from 0 to 3,650, not 'nan'"),
        (prune.main, ["--days", "-1"], "--days: it is a number of days from 0 to 3,650, not '-1'"),
        (tenant.main, ["--tenant", ""], "--tenant: a name is not empty"),
        (issuer.main, ["token", "--tenant", " ", "--subject", "a"], "--tenant: a name is not empty"),
        (issuer.main, ["token", "--tenant", "a", "--subject", ""], "--subject: a name is not empty"),
        (
            issuer.main,
            ["token", "--tenant", "a", "--subject", "b", "--hours", "1e9"],
            "--hours: it is a number of hours from 0 to 8,784, not '1e9'",
        ),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused_in_a_sentence(
    main: Main, arguments: Sequence[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])

    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_a_host_that_does_not_exist_is_told_in_a_sentence() -> None:
    with pytest.raises(SystemExit) as ended:
        top.main(["--once", "--url", "http://nowhere.invalid/mcp"])

    assert ended.value.code == "The stage cannot be read: there is no host of this name: name another URL."
