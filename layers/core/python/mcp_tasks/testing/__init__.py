"""What adopters test their tools with: a server in this process, and a client for each revision of the protocol.

Nothing of it is deployed: the layer's asset leaves this folder out.
"""
