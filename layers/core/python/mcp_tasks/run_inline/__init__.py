"""How the endpoint has adopters' code run in another process: one message for each call, and one answer."""
