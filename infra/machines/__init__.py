"""State machines, one in each file, which a tool names by the file's name: `@tool(machine="remind_me")`.

A file defines one of

    def work(scope: Construct, functions: TaskFunctions) -> IChainable   # states; the last one's output is the result
    ARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:load"   # a state machine that exists already
    def existing(scope: Construct) -> IStateMachine                      # the same, by one of the CDK's imports

and may define `TIMEOUT`, which limits an execution as a whole, retries and waits included, to other than eight days.  A
file whose name begins with an underscore holds what others import.
"""
