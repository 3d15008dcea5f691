"""The errors of functions that state machines retry, by their Step Functions names: none is an outcome of the tool."""

# What passes by itself: Lambda had no room or failed, or a function could not reach the table, Step Functions or the
# host of its run.  A task whose time is over ends all the same: its next run, or the sweep, finds that.
PASSING = [
    *("Lambda.TooManyRequestsException", "Lambda.ServiceException", "Lambda.AWSLambdaException"),
    *("Lambda.SdkClientException", "Lambda.ClientExecutionTimeoutException"),
    *("RunInterrupted", "Unavailable", "ExecutorUnavailable", "ExecutorThrottled"),
]

# Four hours at some four calls a minute, since the waits of up to 30 s are half as long on average.  A call that fails
# is a transition, and three events of the 25,000 that an execution may have.
PASSING_CALLS = 1_000

# A process that died, which one that runs out of memory does each time, and failures of the runner that may be bugs.
BROKEN = ["RunBroken", "Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory"]
BROKEN_CALLS = 4

# The key that signed the run's ticket was retired.  For the first minute, processes may go on making tickets with it:
# the calls, each twice as long after the one before, take two.
REVOKED = "TicketRevoked"
REVOKED_CALLS = 7

# The run suspended its task: no failure, so it is in no Retry, and each state that runs the tool catches it first.
SUSPENDED = "TaskSuspended"

# An alarm of its own counts runs that are interrupted (`infra/alarms_of_tasks.py`).
SIGNALS = [SUSPENDED, REVOKED, "RunInterrupted", "Unavailable"]

# Step Functions throttled the start of another machine, or failed in it: by its name that is started once.  The first
# is written in both ways by AWS.
UNSTARTED = [
    *("StepFunctions.ExecutionLimitExceeded", "StepFunctions.ExecutionLimitExceededException"),
    *("StepFunctions.ThrottlingException", "StepFunctions.AWSStepFunctionsException"),
    "StepFunctions.SdkClientException",
]

# All but States.Timeout, which ends the client's time to answer and is handled apart.
ANY_FAILURE = ["States.TaskFailed"]

ANY_ERROR = ["States.ALL"]
