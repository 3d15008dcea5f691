"""The waiter that reads the table's DynamoDB stream."""
