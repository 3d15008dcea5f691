"""Where sessions are kept: in the DynamoDB table, or in memory."""
