"""The stage setting `snap_start`: whether functions that clients wait for start from snapshots of their processes."""

from aws_cdk.aws_lambda import CfnFunction

from .function import TaskServerFunction


def snapshot(*functions: TaskServerFunction | None) -> None:
    """Have Lambda keep a snapshot of each version of these functions, taken before its first event."""
    for function in filter(None, functions):
        resource = function.function.node.default_child
        assert isinstance(resource, CfnFunction)
        resource.snap_start = CfnFunction.SnapStartProperty(apply_on="PublishedVersions")
