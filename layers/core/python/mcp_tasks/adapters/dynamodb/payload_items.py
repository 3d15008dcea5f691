"""The items that keep what a task was given, recorded or returned, with an S3 object behind each that is large."""

from collections.abc import Iterator

from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.adapters.s3 import Packed, Payloads
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.records import record
from mcp_tasks.tasks.documents import document_of_response
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON, InputResponse, Task


@record
class PayloadItems:
    """Makes the items of one task, whose objects are put before the items are written: no item points to nothing."""

    payloads: Payloads
    owner_key: str
    task: Task

    def result(self, outcome: JSON) -> Item:
        """Return the item of the task's outcome."""
        return self._stored(outcome, "result")

    def step(self, name: str, value: JSON) -> Item:
        """Return the item of a step, with its name for people who look at tasks in flight."""
        readable = name[:MAX_LINE_CHARACTERS].encode(errors="replace").decode()
        return self._stored(value, "step", hashed(name)) | {"step": {"S": readable}}

    def reply(self, key: str, response: InputResponse) -> Item:
        """Return the item of the response to an input request."""
        return self._stored(document_of_response(response), "reply", hashed(key))

    def records(self, records: InitialRecords) -> Iterator[Item]:
        """Yield the items of all steps and responses."""
        yield from (self.step(name, value) for name, value in records.steps.items())
        yield from (self.reply(key, response) for key, response in records.responses.items())

    def item(self, packed: Packed, kind: str, *names: str) -> Item:
        """Return the item of a packed value, whose object is not put yet."""
        key = primary_key(self.owner_key, kind, self.task.id, *names)
        return key | expiry_attributes(self.task.expires_at) | packed.attributes

    def _stored(self, value: JSON, kind: str, *names: str) -> Item:
        packed = self.payloads.pack(self.owner_key, self.task.id, value)
        self.payloads.put(packed)
        return self.item(packed, kind, *names)
