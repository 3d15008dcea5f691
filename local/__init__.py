"""The stack on this machine: an AWS emulator, the CDK stack deployed to it, and the server in one process."""
