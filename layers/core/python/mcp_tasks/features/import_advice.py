"""Says what to write instead in a module of tools that cannot be imported where tools are listed."""

import os
from traceback import walk_tb


def advice(error: BaseException) -> str:
    """Return a sentence on what to do about an error at import, or nothing."""
    if isinstance(error, KeyError) and _is_of_environment(error):
        return (
            f"The variable {error.args[0]} is not set here, where tools are listed: read it in the function that needs "
            f"it, or write os.environ.get({error.args[0]!r})."
        )
    names = {kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("botocore.")}
    if "NoRegionError" in names:
        return "Set AWS_DEFAULT_REGION, or make the client of AWS in the function that needs it."
    if names & {"BotoCoreError", "ClientError"}:
        return "AWS is called here, where tools are listed: call it in the function that needs the answer."
    return ""


def _is_of_environment(error: BaseException) -> bool:
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_code is type(os.environ).__getitem__.__code__
