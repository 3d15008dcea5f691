"""The ports on the one DynamoDB table."""
