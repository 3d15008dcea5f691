"""What auditors are told of requests, in each revision."""
