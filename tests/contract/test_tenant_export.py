"""The export of a tenant whose subjects have names that file systems refuse, or do not tell from each other."""

from pathlib import Path

from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.plan import Plan
from tests.cloud import Cloud
from tests.contract.test_tenant import Desk
from tests.kit import FixedClock, a_task

ODD_SUBJECTS = (
    "x" * 800,
    "x" * 801,
    "%" * 250,
    "ada",
    "ADA",
    "Ada",
    "ada.",
    "ada..",
    "..",
    ".",
    "/",
    "a/b",
    "a\\b",
    "c:d",
    "é",
)


def test_an_export_gives_every_subject_files_of_its_own(aws: Cloud, clock: FixedClock, tmp_path: Path) -> None:
    desk = Desk(aws, clock)
    for subject in ODD_SUBJECTS:
        caller = Caller(tenant="acme", subject=subject)
        desk.store.create(
            caller.owner_key, a_task(), {"text": subject[:9] * MAX_INLINE_CHARACTERS}, key=None, plan=Plan()
        )

    assert desk.operator.data.export(tmp_path)["object"] == 15

    folders = [path.name for path in (tmp_path / "objects").iterdir()]
    assert len({name.casefold().rstrip(".") for name in folders}) == 15
    assert {"acme#ada", "acme#%2F", "acme#c%3Ad"} < set(folders)
    assert len([path for path in (tmp_path / "objects").rglob("*") if path.is_file()]) == 15
