"""What a client may send, and how much of it is examined and quoted."""

from typing import Final

MAX_MESSAGE_DEPTH: Final = 100
"""Brackets within brackets: Python's own parser recurses."""

MAX_MESSAGE_VALUES: Final = 500_000
"""Elements and fields: each may cost a hundred times its two bytes in validation errors."""

MAX_WRITTEN_OUT_BYTES: Final = 100_000
"""Of arguments in which 1e300 is taken for an integer: written out, it is 60 times as long."""

MAX_NAME_CHARACTERS: Final = 256
"""Of an id or a method.  Both are sent back, and an id also travels in a header, within a cursor."""

MAX_URI_CHARACTERS: Final = 4_000
"""Of a resource: every template is matched against it."""

MAX_COMPLETIONS: Final = 100
"""Values of one completion: the most that the protocol allows."""

MAX_HEADER_NAMES: Final = 100
"""Of one CORS preflight: each is compared with those allowed."""

MAX_BATCH_MESSAGES: Final = 20
"""Served one after another, in the time of one request."""

MAX_CAPABILITIES_CHARACTERS: Final = 20_000
"""Of a client's capabilities, as JSON; they are kept with the session."""

MAX_REJECTED_RESPONSES: Final = 6
"""Of one session to one input request: with this many that do not fit, it ends without a response."""

MAX_SUBSCRIPTIONS: Final = 50
"""Of a session: resources, and likewise followed tasks and awaited elicitations; each is read while a stream waits."""

MAX_LISTENED: Final = 20
"""Tasks, or resources, of one `subscriptions/listen`; the acknowledgement says which ones are honoured."""

MAX_SIGNED_CHARACTERS: Final = 100_000
"""Of a cursor or an event id: this server signs none that is longer, so a longer one is rejected unread."""

MAX_DEFERRED_CHARACTERS: Final = 4_000
"""Of an event id that holds a request to serve later: API Gateway takes 10 KB of headers, and others 8 KB."""

MAX_LINK_CHARACTERS: Final = 4_000
"""Of the bearer token of a link, which names a tenant, a subject and an approval: a longer one is rejected unread."""

MAX_REQUEST_STATE_CHARACTERS: Final = 200_000
"""Of a `requestState`; it comes back with every round trip."""

MAX_CHOSEN: Final = 1_000
"""Items of one field of a form: each is held against every choice, which takes a tenth of a millisecond."""

MAX_ERRORS_EXAMINED: Final = 100
"""Of one value: each error takes time and memory, and a client can make millions of them."""

MAX_ERRORS_COUNTED: Final = 10_000
"""A client can make so many that listing them all would take more memory than there is."""

MAX_ERRORS_LISTED: Final = 5
"""In one message: a model corrects a few at a time."""

MAX_QUOTE_CHARACTERS: Final = 80
"""Of what a client sent, where a message quotes it."""

MAX_QUOTED_NAME_CHARACTERS: Final = 256
"""The same, for the name of a field, which has to be recognized."""

MAX_CHOICES_CHARACTERS: Final = 200
"""Of the choices that a message lists."""

MAX_KEYS_BYTES: Final = 256 * 1_024
"""Of what the issuer of tokens answers when it is asked for its keys."""

MAX_ACTORS: Final = 8
"""In one token: who acts for whom, one within another."""

MAX_ACTOR_BYTES: Final = 2_000
"""Of all actors in a token, as JSON: they travel with each request, and are kept with the task."""

MAX_ROLES: Final = 50
"""In one token: what waits for a caller is looked up for each of them."""

MAX_ROLES_BYTES: Final = 2_000
"""Of all roles in a token, as JSON: the authorizer may answer 8 KB, and they travel with each request."""

MAX_CLIENT_ID: Final = 100
"""Characters of the id of an OAuth client: it is in each audit record of its requests, and kept with its tasks."""

MAX_REPORTED_ITEMS: Final = 1_000
"""That cannot be read, and were logged once by a process: with more, all are forgotten, and each is logged again."""
