"""The errors of functions that state machines retry, by their Step Functions names: none is an outcome of the tool."""

# Lambda was throttled and nothing ran, so the call is retried for about an hour, some four times a minute.
BUSY = ["Lambda.TooManyRequestsException"]
BUSY_CALLS = 250

# Failures of Lambda, of the runner, or a process that died.
TRANSIENT = [
    *("Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException", "RunInterrupted"),
    *("Lambda.ClientExecutionTimeoutException", "Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory"),
]

# The key that signed the run's ticket was retired.  For the first minute, processes may go on making tickets with it:
# the calls, each twice as long after the one before, take two.
REVOKED = "TicketRevoked"
REVOKED_CALLS = 7

# The run suspended its task: no failure, so it is in no Retry, and each state that runs the tool catches it first.
SUSPENDED = "TaskSuspended"

SIGNALS = [SUSPENDED, REVOKED]

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
