"""`make audit` on the emulator: what its functions logged of tasks is anchored, exported and proven."""

from pathlib import Path

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import client
from tests.stack.audited import anchor, audit, records_in
from tests.timeout import until


def test_what_happened_to_tasks_is_exported_and_proven_and_no_line_can_be_left_out(
    stack: Stack, subject: str, tmp_path: Path
) -> None:
    ada, export = client(stack.url, stack.token("acme", subject)), tmp_path / "export"
    tasks = {ada.start("repeat", text="once more") for _ in range(3)}
    until(lambda: all(ada.result("tasks/get", taskId=task)["status"] == "completed" for task in tasks), pause=0.2)
    ada.send_request("tasks/get", {"taskId": "nobody's"})

    begun_to_end = ("task.created", "task.started", "task.read", "task.finished")
    expected = {(event, task) for event in begun_to_end for task in tasks} | {("request.refused", None)}

    def exported() -> bool:
        anchor(stack)
        done = audit(stack, "--export", str(export))
        assert done.returncode == 0, done.stdout + done.stderr
        mine = [each for each in records_in(export) if each["subject"] == subject]
        return expected <= {(each["event"], each.get("task")) for each in mine}

    until(exported, within=120, pause=1)
    assert audit(stack, "--check", str(export)).returncode == 0
    lines = export.read_text().splitlines()
    (at,) = (at for at, line in enumerate(lines) if "request.refused" in line and subject in line)
    for without in (
        lines[:at] + lines[at + 1 :],
        lines[:-1],
        [*lines[:at], lines[at].replace(subject, "eve"), *lines[at + 1 :]],
    ):
        export.write_text("\n".join(without))
        refused = audit(stack, "--check", str(export))
        assert (refused.returncode, "Not proven" in refused.stdout) == (1, True), refused.stdout + refused.stderr
