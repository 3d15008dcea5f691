"""What each release stored and sent, in a folder named after it, for the newest code to go on with.

    items/, rev_*/items/    an item of every kind               `items.py`, `rev_2025_11_25/session_items.py`
    definition.json         the default state machine           `record.py`
    catalogue.json          the features of `tools.py`          `record.py`
    rev_*/table.json        a table with tasks in flight        `record.py`
    rev_*/recorded.json     what their clients hold of them     `record.py`, of what `rev_*/scenario.py` did
    rev_*/messages.json     what functions send each other      `messages.py`
    resources.json          logical ids that were deployed      by hand

`make release-fixture` makes all but the last of this checkout.  With OF=previous the release before writes its own, by
its own code: `__main__.py` unpacks its commit, and adds the modules above to it, which so import only what both have.
The folders of 0.1 and 0.2 were made when those were released, that of 0.3 after it, in this way.
Ids, keys and nonces are random, and differ each time; what is done with them does not.
"""
