"""No response breaks the server, and one that is invalid changes nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks.features.listing import Features
from mcp_tasks.testing.replies import Reply
from tests.protocol import task_input_tools
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.checked import Checked
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import ABLE, open_request, status, suspended, wait
from tests.protocol.strategies import errors, json_values, results

responses = (
    st.fixed_dictionaries({"result": results | json_values})
    | st.fixed_dictionaries({"error": errors | json_values})
    | st.fixed_dictionaries({}, optional={"result": results, "error": errors, "params": json_values})
)


class Unbroken(Checked):
    """Breaks nothing."""

    def check(self, reply: Reply) -> None:
        assert reply.status < 500
        assert all(message.get("error", {}).get("code") != -32603 for message in reply.messages)
        super().check(reply)


def fuzzer() -> Client:
    client = Client(Harness(Features.of(task_input_tools.TOOLS)), checked=Unbroken)
    client.initialize(ABLE)
    return client


@requirement("A-HTTP-7", "A-INP-9", "A-ELI-4", "A-SAM-3")
@pytest.mark.parametrize("tool", ["publish", "sign_in", "muse", "list_folders"])
@settings(max_examples=60)
@given(content=responses)
def test_no_response_breaks_a_task_and_what_is_rejected_changes_none(tool: str, content: dict[str, Any]) -> None:
    client = fuzzer()
    task_id = suspended(client, tool)
    input_request = open_request(client, task_id)
    before = client.harness.stored()

    reply = client.post({"jsonrpc": "2.0", "id": input_request["id"], **content})

    assert reply.status in (202, 400)
    if client.harness.stored() == before:
        assert status(client, task_id) == "input_required"
        # What is no response at all has not reached the input request.
        anew = input_request if reply.status == 400 else open_request(client, task_id)
        assert (anew["id"] == input_request["id"]) == (reply.status == 400)
        assert len(anew["params"].get("message", "")) < 1000
        assert client.respond(input_request, error={"code": -1, "message": "enough"}).status == 202
    assert status(client, task_id) in ("completed", "failed") or wait(client, task_id).input_requests


@requirement("A-HTTP-7", "A-INP-9")
@settings(max_examples=60)
@given(id=json_values | st.text(), content=responses)
def test_no_id_of_theirs_reaches_an_input_request(id: Any, content: dict[str, Any]) -> None:
    client = fuzzer()
    open_request(client, suspended(client))
    before = client.harness.kept()

    reply = client.post({"jsonrpc": "2.0", "id": id, **content})

    assert (reply.status, client.harness.kept()) == (400, before)
