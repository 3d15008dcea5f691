"""The test kit for authors of tools: the server in one process, and a client for each revision of the protocol.

It is not deployed: the layer's asset leaves this folder out.
"""
