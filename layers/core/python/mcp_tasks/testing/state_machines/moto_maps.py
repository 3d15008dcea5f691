"""What moto's Maps need: threads on our clock, all objects of a prefix, and the item in its own states.

Pinned like everything in `moto_patches`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.state.exec.state_map.item_reader.eval.resource_eval_s3 import (
    ResourceEvalS3,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import inline_iteration_component, job
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.distributed_iteration_component import (
    DistributedIterationComponent,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.itemprocessor import map_run_record
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped


def map_patches(threads: SimpleNamespace) -> Iterator[AbstractContextManager[Any]]:
    """Yield the patches; `threads` replaces the module `threading`."""
    for module in (inline_iteration_component, job, map_run_record):
        yield patch.object(module, "threading", threads)
    # Its items fail when they are stopped, and with them the execution that was stopped.
    yield patch.object(Environment, "set_error", _unless_stopped())
    # Moto reads the first thousand objects, and breaks where there is none.
    yield patch.object(ResourceEvalS3, "_handle_list_objects_v2", staticmethod(_list_objects))
    # A distributed Map whose items fail succeeds in moto, with null for each of them.
    yield patch.object(DistributedIterationComponent, "_map_run", _with_tolerance())
    # The tasks of an item find no `$states.context.Map` in moto.
    yield patch.object(Environment, "as_inner_frame_of", _with_item())


def _list_objects(env: Environment, resource_runtime_part: Any, state_credentials: Any) -> None:
    s3 = ResourceEvalS3._get_s3_client(resource_runtime_part, state_credentials)
    pages = s3.get_paginator("list_objects_v2").paginate(**env.stack.pop())
    found = [item for page in pages for item in page.get("Contents", ())]
    env.stack.append(
        [
            {
                "Etag": item["ETag"],
                "Key": item["Key"],
                "LastModified": int(item["LastModified"].timestamp()),
                "Size": item["Size"],
                "StorageClass": item["StorageClass"],
            }
            for item in found
        ]
    )


def _with_tolerance() -> Any:
    map_run = DistributedIterationComponent._map_run

    def run_and_count(component: DistributedIterationComponent, env: Environment, eval_input: Any) -> None:
        map_run(component, env, eval_input)
        items, run = eval_input.map_run_record.item_counter, eval_input.map_run_record
        failed = items.failed.get() + items.timed_out.get()
        share = 100 * failed / items.total.get() if failed else 0
        limits = ((failed, run.tolerated_failure_count), (share, run.tolerated_failure_percentage))
        given = [(found, limit) for found, limit in limits if limit]
        if failed and (not given or any(found > limit for found, limit in given)):
            raise FailureEventException(_exceeded(env))

    return run_and_count


def _exceeded(env: Environment) -> FailureEvent:
    error = StatesErrorName(typ=StatesErrorNameType.StatesExceedToleratedFailureThreshold)
    cause = "The specified tolerated failure threshold was exceeded"
    details: Any = {"mapRunFailedEventDetails": {"error": error.error_name, "cause": cause}}
    return FailureEvent(env=env, error_name=error, event_type=HistoryEventType.MapRunFailed, event_details=details)


def _unless_stopped() -> Any:
    set_error = Environment.set_error

    def set_unless_stopped(env: Environment, error: Any) -> None:
        if not isinstance(env.program_state(), ProgramStopped):
            set_error(env, error)

    return set_unless_stopped


def _with_item() -> Any:
    frame_of = Environment.as_inner_frame_of

    def with_item(env: Environment, **options: Any) -> Environment:
        frame = frame_of(env=env, **options)
        outer, inner = (each.states.context_object.context_object_data for each in (env, frame))
        if "Map" in outer:
            inner["Map"] = outer["Map"]
        return frame

    return staticmethod(with_item)
