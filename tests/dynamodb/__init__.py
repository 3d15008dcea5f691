"""A DynamoDB in memory: the calls and the expressions that the adapters use, and nothing else, fast enough to simulate.

moto takes milliseconds for a call; this takes microseconds.  What keeps it honest is `twin`: the contract tests of the
adapters make each call here and in moto, and compare the answers.
"""
