"""What AWS would bill, written down as it happens: a line of JSON for each request, call, invocation and line of log.

A write consumes what the emulator says that it does.  A read consumes by the size of what was read, in units of 4 KB;
the emulator takes each for one item of such a size.
"""

import contextvars
import json
import os
import time

from ministack import app
from ministack.core import lambda_runtime
from ministack.core.router import detect_service, extract_access_key_id
from ministack.services import dynamodb, lambda_svc

READ_UNIT = 4096
WRITES = ("put_item", "update_item", "delete_item", "transact_write_items", "batch_write_item")
EXECUTED = "/_aws/execute-api/"

_callers = {}
_consumed = contextvars.ContextVar("consumed", default=None)


def record_usage():
    """Write it to the file that the environment names."""
    output = open(os.environ["USAGE"], "a", buffering=1)  # noqa: SIM115 - until the process ends

    def record(**what):
        output.write(json.dumps(what) + "\n")

    _name_callers()
    for name in WRITES:
        setattr(dynamodb, f"_{name}", _writing(getattr(dynamodb, f"_{name}")))
    dynamodb._get_item, dynamodb._query = _reading_one(dynamodb._get_item), _reading_many(dynamodb._query)
    _record_calls(record)
    _record_invocations(record)


def _name_callers():
    """Know each function by the credentials that it is given."""
    credentials = lambda_runtime.execution_credentials

    def named(config):
        given = credentials(config)
        _callers[given["AWS_ACCESS_KEY_ID"]] = config["FunctionName"]
        return given

    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = named


def _writing(write):
    def metered(data):
        answer = write({**data, "ReturnConsumedCapacity": "INDEXES"})
        status, body = answer[0], json.loads(answer[2])
        if status == 200:
            spent = body.get("ConsumedCapacity", [])
            units = sum(each["CapacityUnits"] for each in (spent if isinstance(spent, list) else [spent]))
            body.pop("ConsumedCapacity", None)
            answer = (status, answer[1], json.dumps(body).encode())
        else:
            units = _refused(data) if "ConditionalCheckFailed" in json.dumps(body) else 0
        _spend("write", units)
        return answer

    return metered


def _refused(data):
    """Return what a write consumes whose condition fails: as much as one that replaces each item by itself."""
    wanted = data.get("TransactItems") or [{"": data}]
    items = [_stored(request) for each in wanted for request in each.values()]
    return sum(_units(item, 1024) for item in items) * (2 if "TransactItems" in data else 1)


def _reading_one(read):
    def metered(data):
        _spend("read", _units(_stored(data), READ_UNIT) / (1 if data.get("ConsistentRead") else 2))
        return read(data)

    return metered


def _reading_many(read):
    """Ask again without what leaves items or attributes out: these are read, and paid for, all the same."""

    def metered(data):
        whole = {
            name: value for name, value in data.items() if name not in ("FilterExpression", "ProjectionExpression")
        }
        for kind in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            used = {each: value for each, value in data.get(kind, {}).items() if each in data["KeyConditionExpression"]}
            whole.pop(kind, None)
            whole |= {kind: used} if used else {}
        found = json.loads(read(whole)[2]).get("Items", [])
        size = sum(map(dynamodb._item_size_bytes, found))
        _spend("read", max(1, -(-size // READ_UNIT)) / (1 if data.get("ConsistentRead") else 2))
        return read(data)

    return metered


def _stored(request):
    table = dynamodb._tables.get(dynamodb._normalize_table_name(request.get("TableName")), {})
    return dynamodb._get_item_by_key(table, request.get("Key") or request.get("Item")) if table else None


def _units(item, size):
    return max(1, -(-dynamodb._item_size_bytes(item or {}) // size))


def _spend(kind, units):
    if (consumed := _consumed.get()) is not None:
        consumed[kind] = consumed.get(kind, 0) + units


def _record_calls(record):
    dispatch, special = app._dispatch_service_request, app._handle_special_data_plane_request

    async def dispatched(method, path, headers, body, query, *rest, **named):
        caller = _callers.get(extract_access_key_id(headers, query))
        if caller is None:
            return await dispatch(method, path, headers, body, query, *rest, **named)
        consumed, began = {}, time.monotonic()
        token = _consumed.set(consumed)
        try:
            answer = await dispatch(method, path, headers, body, query, *rest, **named)
        finally:
            _consumed.reset(token)
        service = detect_service(method, path, headers, query)
        seconds = time.monotonic() - began
        record(kind="call", by=caller, what=_operation(service, method, headers, path), seconds=seconds, **consumed)
        return answer

    async def answered(method, path, *rest, **named):
        answer = await special(method, path, *rest, **named)
        if path.startswith(EXECUTED) and answer is not None:
            record(kind="request", method=method, bytes=len(answer[2] or b""))
        return answer

    app._dispatch_service_request, app._handle_special_data_plane_request = dispatched, answered


def _operation(service, method, headers, path):
    if target := headers.get("x-amz-target"):
        return f"{service}.{target.rpartition('.')[2]}"
    return f"{service}.Invoke" if path.endswith("/invocations") else f"{service}.{method}"


def _record_invocations(record):
    invoke, pump = lambda_runtime.ProvidedWorker.invoke, lambda_runtime.ProvidedWorker._pump_output

    def metered(worker, *given, **named):
        before, began = _cpu(worker), time.monotonic()
        record(kind="begun", function=worker.func_name)
        answer = None
        try:
            answer = invoke(worker, *given, **named)
            return answer
        finally:
            after, seconds = _cpu(worker), time.monotonic() - began
            warm = before is not None and after is not None and not (answer or {}).get("cold_start", True)
            cpu = after - before if warm else None
            record(kind="invocation", function=worker.func_name, seconds=seconds, cpu=cpu)

    def counted(worker, stream, log_queue):
        pump(
            worker, _Counted(stream, lambda size: record(kind="log", function=worker.func_name, bytes=size)), log_queue
        )

    lambda_runtime.ProvidedWorker.invoke, lambda_runtime.ProvidedWorker._pump_output = metered, counted


def _cpu(worker):
    """Return the CPU seconds of all threads of a worker's process; None without one."""
    if worker._proc is None or worker._proc.poll() is not None:
        return None
    try:
        # Linux has a clock for each process, by a number made of its id.
        return time.clock_gettime((~worker._proc.pid << 3) | 2)
    except OSError:
        return None


class _Counted:
    def __init__(self, stream, count):
        self.close = stream.close
        self._stream, self._count = stream, count

    def readline(self):
        line = self._stream.readline()
        if line:
            self._count(len(line))
        return line
