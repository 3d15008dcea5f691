"""Verification of access tokens that are JSON Web Tokens, by the keys that their issuer publishes."""
