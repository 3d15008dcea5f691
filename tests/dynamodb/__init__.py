"""A DynamoDB in memory: the calls and the expressions that the adapters use, and nothing else."""
