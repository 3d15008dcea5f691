"""What is a tenant's own in AWS is reached by its runs and by nobody else's, with the policies enforced."""

import pytest

from local.stack import Stack
from mcp_tasks.security.tenancy import Caller
from tests.protocol.rev_2026_07_28.over_http import client
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged", "no_fallbacks_used")
TENANTS = ("acme", "acme-2", "a/b~ Ü%", "..")


def said(stack: Stack, tenant: str, subject: str, tool: str, folder: str) -> str:
    """Run a tool as a task, and return its text."""
    caller = client(stack.url, stack.token(tenant, subject))
    task_id = caller.start(tool, bucket=stack.outputs["DataBucket"], folder=folder)
    until(lambda: caller.tasks_get(task_id)["status"] == "completed")
    return str(caller.tasks_get(task_id)["result"]["content"][0]["text"])


@pytest.mark.parametrize("tenant", TENANTS)
def test_a_run_reaches_the_folder_of_its_tenant_as_a_session_of_it(stack: Stack, subject: str, tenant: str) -> None:
    folder = Caller(tenant=tenant, subject=subject).tenant_tag
    text = said(stack, tenant, subject, "reach", folder)

    assert text.startswith("a note of arn:aws:sts::")
    assert "TenantAccess" in text
    assert text.endswith("/tool")
    # By the role of its function, which is that of every tenant's runs, it reaches nothing.
    assert said(stack, tenant, subject, "reach_as_itself", folder) == "AccessDenied"


@pytest.mark.parametrize("folder", ["rival", "acme-2", "acme=2F2", "*", "${aws:PrincipalTag/tenant}", ""])
def test_a_run_reaches_no_other_folder(stack: Stack, subject: str, folder: str) -> None:
    assert said(stack, "acme", subject, "reach", folder) == "AccessDenied"
