"""Publish a report on a CSV table once its user has approved it: a tool that makes input requests and waits for days.

The function is replayed whenever an answer has come.  So it keeps earlier results in steps, and publishes only after
its last input request.
"""

import secrets
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from examples import data_bucket
from examples.profile_csv import NumberColumn, Profile, profile_csv
from mcp_tasks import Accepted, Context, Declined, Form, InputRequestFailed, MissingCapability, NoAnswer, tool

APPROVAL_TIMEOUT = timedelta(days=3)
ABSTRACT_TIMEOUT = timedelta(minutes=10)


class Approval(Form):
    """The form in which the user approves the report."""

    approved: Annotated[bool, Field(title="Publish this report?")]
    title: Annotated[str, Field(title="Under which title?", min_length=1, max_length=100)] = "What the table says"


@tool(
    title="Publish a report",
    tasks="allowed",
    ttl=timedelta(days=7),
    # Each call adds a file to the data bucket, and overwrites none.
    annotations={"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
)
def publish_report(
    context: Context,
    csv: Annotated[str | None, Field(description="The table itself; its first row names the columns.")] = None,
    source: Annotated[
        str | None, Field(description="Where the table is instead: its name in your tenant's folder")
    ] = None,
) -> str:
    """Summarize a CSV table and publish the report under a title of the user's choice, if the user approves."""
    summary = context.step("summary", lambda: _summary(profile_csv(context, csv=csv, source=source)))
    try:
        answer = context.elicit(
            f"Publish this report?\n\n{summary}", Approval, key="approval", timeout=APPROVAL_TIMEOUT, default=Declined()
        )
    except MissingCapability:
        return f"{summary}\n\nThis is not published: your client cannot ask you whether it may be."
    if not (isinstance(answer, Accepted) and answer.value.approved):
        return f"{summary}\n\nThis is not published: nobody approved it."
    report = "\n\n".join([f"# {answer.value.title}", *_abstract(context, summary), summary])
    if not data_bucket.is_there():
        return report
    name = context.step("name", lambda: f"report-{secrets.token_hex(8)}.md")
    data_bucket.write_text(data_bucket.client_of_task(context), context.caller, name, report)
    return f"{report}\n\nPublished as dataset://{name}"


def _abstract(context: Context, summary: str) -> list[str]:
    """Return a sentence by the client's model, or nothing where sampling is not available."""
    asked = f"Say in one plain sentence what this table is about:\n\n{summary}"
    try:
        return [context.sample(asked, max_tokens=100, key="abstract", timeout=ABSTRACT_TIMEOUT).text.strip()]
    except (MissingCapability, InputRequestFailed, NoAnswer):
        return []


def _summary(profile: Profile) -> str:
    lines = [f"{profile.rows:,} rows, {len(profile.columns)} columns."]
    for column in profile.columns:
        if isinstance(column, NumberColumn):
            found = f"{column.min:g} to {column.max:g}, mean {column.mean:.1f}"
        else:
            found = ", ".join(f"{top.value} ({top.count:,})" for top in column.top_values) or "empty"
        lines.append(f"- {column.name}: {found}; {column.missing:,} missing")
    return "\n".join(lines)
