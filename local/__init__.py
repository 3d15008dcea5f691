"""Runs the server on this machine: the CDK stack on an AWS emulator, or the server alone in one process."""
