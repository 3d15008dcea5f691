"""Prompts."""

from mcp_tasks import EmbeddedResource, Image, prompt
from tests.conformance.samples import PNG


@prompt()
def test_simple_prompt() -> str:
    """Say something simple."""
    return "This is a simple prompt for testing."


@prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Repeat two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@test_prompt_with_arguments.complete("arg1")
def _arg1(typed: str, context: object) -> list[str]:
    return [f"{typed}{number}" for number in (1, 2)]


@prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[str | EmbeddedResource]:
    """Bring a resource along."""
    found = EmbeddedResource(resourceUri, "Embedded resource content for testing.", "text/plain")
    return [found, "Please process the embedded resource above."]


@prompt()
def test_prompt_with_image() -> list[str | Image]:
    """Bring a picture along."""
    return [Image(PNG), "Please analyze the image above."]


PROMPTS = [
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
]
