"""What clients send in this revision, as far as it is looked at; members that are not named here are ignored."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, LONGEST_NAME, RequestId, RpcError, as_id

MOST_CAPABILITIES = 20_000
"""Characters of JSON; they are kept with the session."""


def _as_id(value: JSON) -> RequestId:
    found = as_id(value)
    if found is None:
        raise ValueError(f"should be an integer or a string, of up to {LONGEST_NAME} characters")
    return found


def _of_moderate_size(capabilities: dict[str, JSON]) -> dict[str, JSON]:
    if len(json.dumps(capabilities)) > MOST_CAPABILITIES:
        raise ValueError(f"should be at most {MOST_CAPABILITIES} characters of JSON")
    return capabilities


Id = Annotated[RequestId, BeforeValidator(_as_id)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Capabilities = Annotated[dict[str, Any], AfterValidator(_of_moderate_size)]
Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Params(BaseModel):
    """The params of a request."""

    model_config = ConfigDict(frozen=True, strict=True)


class Meta(Params):
    """`_meta` of a request."""

    progress_token: Id | None = Field(None, alias="progressToken")
    idempotency_key: Name | None = Field(None, alias="io.github.mcp-task-server/idempotency-key")


class Initialize(Params):
    """`initialize`."""

    protocol_version: str = Field(alias="protocolVersion")
    capabilities: Capabilities


class TaskWish(Params):
    """`params.task`: make it a task; `ttl` is in milliseconds."""

    ttl: float | None = Field(None, ge=0, allow_inf_nan=False)


class CallTool(Params):
    """`tools/call`."""

    name: Name
    arguments: dict[str, Any] = Field(default_factory=dict)
    meta: Meta = Field(default_factory=lambda: Meta.model_validate({}), alias="_meta")


class MaybeTask(Params):
    """Whatever may be made a task."""

    task: TaskWish | None = None


class OfTask(Params):
    """Whatever is about one task."""

    task_id: Name = Field(alias="taskId")


class List(Params):
    """Whatever lists in pages."""

    cursor: str | None = None


class SetLevel(Params):
    """`logging/setLevel`."""

    level: Level


class Cancelled(Params):
    """`notifications/cancelled`."""

    request_id: Id | None = Field(None, alias="requestId")


Shape = TypeVar("Shape", bound=Params)


def read(shape: type[Shape], params: Mapping[str, JSON]) -> Shape:
    """Read params; raises `RpcError` that names each member that is wrong, and how."""
    try:
        # Members that are null are as good as absent: some clients write all that there could be.
        return shape.model_validate({name: value for name, value in params.items() if value is not None})
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors(include_url=False))
        raise RpcError(INVALID_PARAMS, f"Invalid params: {'; '.join(faults)}") from error
