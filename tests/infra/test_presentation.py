"""How the server presents itself: what can be said, and what is rejected with a message before anything is deployed."""

from typing import Any

import pytest

from infra.presentation import Presentation
from mcp_tasks.limits.aws import MAX_PRESENTATION_BYTES

PNG = {"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"}


def test_what_is_not_said_is_left_out() -> None:
    assert Presentation.of({"issuer": "somebody else's"}).about == {}
    assert Presentation().variables == {"INSTRUCTIONS": "", "SERVER_ABOUT": "{}"}


def test_everything_can_be_said() -> None:
    icons = [PNG, {"src": "data:image/svg+xml;base64,PHN2Zy8+"}]
    said = Presentation.of(
        {
            "instructions": "Long tools are tasks.",
            "server_title": "Täsks",
            "server_description": "Runs reports.",
            "server_website": "https://example.com/tasks",
            "server_icons": icons,
        }
    )

    assert said.variables["INSTRUCTIONS"] == "Long tools are tasks."
    assert said.about == {
        "title": "Täsks",
        "description": "Runs reports.",
        "websiteUrl": "https://example.com/tasks",
        "icons": icons,
    }


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"server_title": 7}, "server_title is a text, not 7"),
        ({"server_website": "example.com"}, "server_website is an https URL, not 'example.com'"),
        ({"server_icons": PNG}, "server_icons is a list"),
        ({"server_icons": ["https://example.com/icon.png"]}, "each of server_icons has src"),
        ({"server_icons": [{"mimeType": "image/png"}]}, "each of server_icons has src"),
        ({"server_icons": [{**PNG, "size": "48x48"}]}, "may have mimeType, sizes and theme"),
        ({"server_icons": [{"src": "http://example.com/icon.png"}]}, "the src of an icon is an https URL"),
        ({"server_icons": [{"src": "data:text/html;base64,PGI+"}]}, "the src of an icon is an https URL"),
        ({"server_icons": [{"src": "javascript:alert(1)"}]}, "the src of an icon is an https URL"),
        ({"server_icons": [{**PNG, "mimeType": 7}]}, "the mimeType of an icon is a text"),
        ({"server_icons": [{**PNG, "sizes": "48x48"}]}, "the sizes of an icon are a list"),
        ({"server_icons": [{**PNG, "sizes": ["48"]}]}, "the sizes of an icon are a list"),
        ({"server_icons": [{**PNG, "theme": "blue"}]}, 'the theme of an icon is "light" or "dark"'),
        ({"instructions": "é" * (MAX_PRESENTATION_BYTES // 2)}, "shorten the instructions"),
    ],
)
def test_what_clients_could_not_show_is_rejected(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Presentation.of(settings)
