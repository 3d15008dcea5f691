"""Python folders as Lambda assets: requirements added, compiled to bytecode, no docker.

CDK sets every file's time to zero, which voids bytecode that is checked by time, and Lambda's disk is
read-only: without this step each cold start compiles everything again.
"""
