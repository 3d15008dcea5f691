"""Another team's state machine."""

ARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:nightly-load"
