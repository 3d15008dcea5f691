"""The files in the data bucket as resources, and a prompt to start from one."""

from datetime import timedelta
from typing import Literal

from examples.data_bucket import NoSuchObject, client_of_call, read_text
from mcp_tasks import Context, ResourceNotFound, prompt, resource

LARGEST = 2_000_000
AIMS = {
    "overview": "Tell in five sentences what the table is about.",
    "quality": "List what looks wrong: missing values, outliers, texts that should be numbers.",
}


@resource("dataset://{name}", title="Dataset", mime_type="text/plain", ttl=timedelta(minutes=1))
def dataset(name: str, context: Context) -> str:
    """A text file of your tenant's in the data bucket: a CSV table, or a published report."""
    try:
        return read_text(client_of_call(), context.caller, name, at_most=LARGEST)
    except NoSuchObject as error:
        raise ResourceNotFound(name) from error


@prompt(title="Look into a dataset")
def look_into(name: str, aim: Literal["overview", "quality"] = "overview") -> str:
    """Profile a file in the data bucket and say what there is to see."""
    return f"Call the tool profile_csv with source {name!r}. {AIMS[aim]}"
