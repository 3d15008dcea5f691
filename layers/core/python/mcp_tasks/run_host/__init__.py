"""How a run reaches its host in another process: messages of JSON, each with a ticket."""
