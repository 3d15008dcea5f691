"""What moto's Maps need: threads on our clock, all objects of a prefix, and the item in its own states.

Pinned like everything in `moto_patches`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto.stepfunctions.parser.asl.component.state.exec.state_map.item_reader.eval.resource_eval_s3 import (
    ResourceEvalS3,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import inline_iteration_component, job
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
