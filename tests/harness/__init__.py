"""The deployed server in this process: the synthesised template on moto, the real handlers, a virtual clock."""
