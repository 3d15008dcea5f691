"""Links between the documents lead somewhere, and pictures are there."""

import re
from pathlib import Path

import pytest

from tests.docs.blocks import FENCE, PAGES, ROOT
from tests.docs.demo_picture import SHOWN

LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")
MAX_PICTURE_BYTES = 200_000


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, text: str) -> list[str]:
    """Return the links of a page's text that lead nowhere."""
    found = []
    for path, anchor in LINK.findall(FENCE.sub("", text)):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(f"{path}#{anchor}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


@pytest.mark.parametrize("link", ["docs/nowhere.md", "docs/limits.md#nowhere", "#nowhere"])
def test_a_broken_link_is_found(link: str) -> None:
    assert broken(ROOT / "README.md", f"See [this]({link}).")


def test_pictures_are_small_and_used() -> None:
    pictures = sorted((ROOT / "docs" / "images").iterdir())

    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < MAX_PICTURE_BYTES
        assert f"](docs/images/{picture.name})" in (ROOT / "README.md").read_text()


def test_the_picture_of_the_demo_shows_what_the_demo_does() -> None:
    titles = re.findall(r'screen\.step\(f?"(\d.*)"\)', (ROOT / "local/demo_script.py").read_text())
    picture = (ROOT / "docs/images/demo.svg").read_text().replace("\u00a0", " ")
    drawn = [title for title in titles if title[0] in SHOWN]

    assert len(drawn) == len(SHOWN)
    assert [title for title in drawn if title not in picture] == []
