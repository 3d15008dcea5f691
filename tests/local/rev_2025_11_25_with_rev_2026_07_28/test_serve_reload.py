"""`make serve` takes up tools as they are saved; sessions and tasks stay, and tasks go on with the new code."""

from pathlib import Path

from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.saved import ANSWER, ASK
from tests.serving import serving
from tests.timeout import until

# Of the same length, and saved within the same second: bytecode of the one could be taken for that of the other.
TOOLS = f"""
from helped.words import WORD
{ASK}

@tool(tasks="never")
def say() -> str:
    '''Say VERSION.'''
    return WORD


TOOLS = [ask, say]
"""
TAKEN_UP_SECONDS = 2


class Package:
    """The package `helped` of tools, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "helped"
        self.folder.mkdir()
        self.save("one")

    def save(self, word: str) -> None:
        (self.folder / "words.py").write_text(f'WORD = "{word}"\n')
        (self.folder / "__init__.py").write_text(TOOLS.replace("VERSION", word))

    def spoil(self) -> None:
        (self.folder / "words.py").write_text('WORD = "\n')


def test_a_saved_tool_is_taken_up_and_one_that_cannot_be_imported_is_not(tmp_path: Path) -> None:
    package = Package(tmp_path)
    with serving("--tools", "helped", folder=tmp_path) as printed:
        old, new = old_client(printed["url"]), new_client(printed["url"])
        old.initialize()
        task_id = new.start("ask")
        until(lambda: new.tasks_get(task_id)["status"] == "input_required")

        package.save("two")
        until(lambda: old.call("say")["content"][0]["text"] == "two", within=TAKEN_UP_SECONDS)
        described = {tool["name"]: tool["description"] for tool in new.result("tools/list")["tools"]}

        new.result("tasks/update", taskId=task_id, inputResponses=ANSWER)
        until(lambda: new.tasks_get(task_id)["status"] == "completed")
        answer = new.tasks_get(task_id)["result"]["content"][0]["text"]

        package.spoil()
        until(lambda: "the tools are served as before" in Path(printed["terminal"]).read_text())
        assert new.call("say")["content"][0]["text"] == "two"
        package.save("six")
        until(lambda: new.call("say")["content"][0]["text"] == "six", within=TAKEN_UP_SECONDS)

    assert (described["say"], answer) == ("Say two.", "two, Ada")
    assert "SyntaxError: unterminated string literal" in printed["complaints"]
