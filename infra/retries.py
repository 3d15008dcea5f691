"""The errors of functions that state machines retry, by their Step Functions names: none is an outcome of the tool."""

# Lambda was throttled and nothing ran, so the call is retried for about an hour, some four times a minute.
BUSY = ["Lambda.TooManyRequestsException"]
BUSY_CALLS = 250

# Failures of Lambda, of the runner, or a process that died.
TRANSIENT = [
    *("Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException", "RunInterrupted"),
    *("Lambda.ClientExecutionTimeoutException", "Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory"),
]

# All but States.Timeout, which ends the client's time to answer and is handled apart.
ANY_FAILURE = ["States.TaskFailed"]

ANY_ERROR = ["States.ALL"]
