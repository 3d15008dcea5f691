"""The ports implemented on one DynamoDB table."""
