"""The limits of the server, each once, with its unit in its name or type and its reason beside it.

`requests` is what a client may send, `tools` what a tool may say, `tenants` what a tenant may have, `waits` how long
things wait and last, `pace` how soon whoever waits looks again, and `aws` what AWS sets and we stay below.  What a
deployment may change is a default here.  What paces one module alone (a backoff) stays in that module.
"""
