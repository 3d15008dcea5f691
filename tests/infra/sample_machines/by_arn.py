"""A state machine of somebody else's, by its ARN."""

ARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:nightly-load"
