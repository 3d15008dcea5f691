"""`make update`: a project made from the previous release takes over this one, and what is the adopter's stays."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import ROOT, link_environments
from tests.infra.assembly import UNBUNDLED
from tests.template.releases import THIS, Keep, cloned, git, made, run, template

OWN = re.findall(r"update' %}/(\S+?){%", (ROOT / "copier.yml").read_text())
"""What is the adopter's: files, and folders with all that is in them."""

NOT_COPIED = (
    *("copier.yml", ".copier-answers.yml.jinja", "CHANGELOG.md"),
    *("tests/docs/test_", "tests/deploys/", "tests/first_day/", "tests/template/"),
)

MINE = {
    "README.md": "# Mine\n",
    "layers/tools/python/tools/__init__.py": "from tools.mine import mine\n\nTOOLS = [mine]\n",
    "layers/tools/python/tools/mine.py": '''
from mcp_tasks import Context, tool


@tool(tasks="allowed")
def mine(name: str, context: Context) -> str:
    """Greet somebody."""
    return context.step("greet", lambda: f"Hello, {name}!")
''',
    "tests/tools/test_mine.py": """
from mcp_tasks.testing.client import Client


def test_it_greets(client: Client) -> None:
    assert client.call_tool("mine", {"name": "Ada"}).text == "Hello, Ada!"
""",
}
"""A project that has its own tool instead of the examples."""


PART = (".ci/", "infra/bytecode/", "infra/machines/", "infra/tool_access", "layers/tools/", "tests/tools/")


def part(name: str) -> bool:
    """Say whether a file is in the part of the template that the quick test updates; all of it takes a minute."""
    return "/" not in name or name.startswith(PART)


def is_own(name: str) -> bool:
    return name.startswith(tuple(f"{each}/" for each in OWN)) or name in OWN


def adopt(project: Path) -> None:
    """Do what adopters do: delete examples, change what is left, and add files of their own."""
    for name in ("layers/tools/python/tools/greet.py", "tests/tools/test_greet.py", "infra/machines/remind_me.py"):
        (project / name).unlink()
    for name in ("layers/tools/python/tools/mine.py", "tests/tools/test_mine.py", "infra/machines/mine.py"):
        (project / name).write_text('"""Mine."""\n')
    for name in ("LICENSE", "README.md", "cdk.json", "layers/tools/python/tools/__init__.py", "infra/tool_access.py"):
        (project / name).write_text(f"{(project / name).read_text()}\n# Mine.\n")
    makefile = project / "Makefile"
    makefile.write_text(makefile.read_text().replace("TENANT ?= acme", "TENANT ?= mine"))


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file that git knows or would add, by name."""
    names = git(folder, "ls-files", "--cached", "--others", "--exclude-standard").decode().splitlines()
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


def updated(project: Path, adopt: Callable[[Path], None] = adopt) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Let an adopter work on a project and update it, and return its files before and after."""
    adopt(project)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Mine")
    before = contents(project)
    (command,) = re.findall(r"/copier (update .*?) \$", (ROOT / "Makefile").read_text())
    run(project, *shlex.split(command), "--quiet")
    return before, contents(project)


def project_from(source: Path, folder: Path, way: str, keep: Keep) -> Path:
    return made(source, folder) if way == "made by copier" else cloned(source, folder, keep)


@pytest.mark.parametrize("way", [pytest.param("made by copier", marks=pytest.mark.slow), "cloned"])
def test_an_update_touches_nothing_of_the_adopters_and_brings_the_rest(tmp_path: Path, way: str) -> None:
    source = template(tmp_path / "template", part)

    before, after = updated(project_from(source, tmp_path / "project", way, part))

    assert {name: each for name, each in after.items() if is_own(name)} == {
        name: each for name, each in before.items() if is_own(name)
    }
    expected = {name: each for name, each in contents(source).items() if not name.startswith(NOT_COPIED)}
    expected["Makefile"] = expected["Makefile"].replace(b"TENANT ?= acme", b"TENANT ?= mine")
    rest = {name: each for name, each in after.items() if not is_own(name)}
    assert f"_commit: {THIS}".encode() in rest.pop(".copier-answers.yml")
    # A clone has the template's, unless its adopter has begun one of their own.
    assert rest.pop("CHANGELOG.md", None) == before.get("CHANGELOG.md")
    assert rest == {name: each for name, each in expected.items() if not is_own(name)}


@pytest.mark.slow
def test_a_whole_project_works_after_an_update_and_what_the_page_says(tmp_path: Path) -> None:
    project = made(template(tmp_path / "template", lambda name: True), tmp_path / "project")
    for name in ("layers/tools/python/tools", "tests/tools"):
        shutil.rmtree(project / name)
        (project / name).mkdir()
    for name, text in MINE.items():
        (project / name).write_text(text)

    _, after = updated(project, adopt=lambda project: None)

    assert not [name for name, text in after.items() if re.search(rb"^<{7} ", text, re.MULTILINE)]
    do_what_the_page_says(project)
    link_environments(project)
    work(project, "app.py")
    work(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/tools", "tests/unit/test_limits.py")
    work(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "tests/infra", "tests/package")


def do_what_the_page_says(project: Path) -> None:
    """Change by hand what docs/upgrading.md lists for 0.3."""
    access = project / "infra/tool_access.py"
    access.write_text(access.read_text().replace("serve_mcp", "run_inline"))


def work(project: Path, *arguments: str) -> None:
    """Run Python in a project, with nothing of this checkout in reach but what is installed."""
    path = os.pathsep.join(["layers/core/python", "layers/tools/python", "."])
    environment = {"PYTHONPATH": path, "CDK_OUTDIR": "cdk.out", "CDK_CONTEXT_JSON": json.dumps(UNBUNDLED)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_the_page_lists_what_is_the_adopters() -> None:
    page = (ROOT / "docs/upgrading.md").read_text()
    section = page.split("## What is yours")[1].split("\n## ")[0]

    assert OWN
    assert re.findall(r"^\| `(\S+?)/?` \|", section, re.MULTILINE) == OWN
