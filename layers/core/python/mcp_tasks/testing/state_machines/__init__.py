"""Synthesised state machines, run in this process by moto: its interpreter, mended, and the template's functions.

Not deployed, like all of `testing`.
"""
