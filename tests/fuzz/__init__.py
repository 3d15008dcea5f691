"""A fuzzer of messages: valid by the official schemas, nearly valid, and hostile, for a server with all features.

No message may be answered by a status of 5xx or the code -32603, or by what is not valid by the schemas, and no number
of them may store more than a tenant's plan leaves.  `python -m tests.fuzz --messages 1000000` sends as many as that.
"""
