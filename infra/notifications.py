"""Notifications of approvals: events on the account's default bus, for rules of the adopter's."""

import json

from aws_cdk import Stack

from .function_code import catalogue
from .functions import Functions
from .tools import Tools


def add_notifications(functions: Functions, tools: Tools, *, server: str, console: str, local: bool) -> bool:
    """Have people told of what a tool asks of others than its caller, and return whether there is such a tool.

    The function that follows the table's stream tells them, by events of the server with the address of its console.
    On the emulator, where tools are written, any may ask others.
    """
    if not local and not any(tool.get("approvals") for tool in json.loads(catalogue(tools))["tools"]):
        return False
    bus = Stack.of(functions).format_arn(service="events", resource="event-bus", resource_name="default")
    functions.on_task_change.allow("events:PutEvents", on=[bus])
    known = {"bus": bus, "server": server, "console": console}
    functions.on_task_change.add_environment("NOTIFICATIONS", json.dumps(known))
    return True
