"""How long links, keys, approvals and records of the audit are good, and how many there may be, as the docs say."""

from datetime import timedelta

from mcp_tasks.limits import audit, requests, tenants, tools, waits

DAY, HOUR, MINUTE, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


def test_how_long_anything_lasts_that_somebody_is_trusted_by() -> None:
    assert {
        "a link is exchanged again": waits.EXCHANGE_REPEATED,
        "a notice comes again": waits.BETWEEN_NOTICES,
        "a reminder comes again, at the least": waits.BETWEEN_REMINDERS,
        "who decided is told": waits.DECIDED_KEPT,
        "a month's key": waits.KEY_LIFETIME,
        "a key that was rotated out": waits.RETIRED_KEY_LIFETIME,
        "a key in a process": waits.KEYS_FRESH,
        "a key of records that was revoked": audit.REVOKED_FOR,
        "an issuer's keys in a process": waits.ISSUER_KEYS_FRESH,
        "the same while the issuer is away": waits.ISSUER_KEYS_STALE,
        "a token beyond its time": waits.TOKEN_LEEWAY,
        "a clock that is ahead": waits.CLOCK_SKEW,
        "an uninitialized session is sent nothing": waits.UNINITIALIZED,
        "a session in a process": waits.SESSION_FRESH,
        "a late response is no forgery": waits.LATE_RESPONSES,
        "a chain of records": audit.CHAIN_LASTS,
        "a record after its chain": audit.LATE,
        "the log is read again": audit.READ_AGAIN,
        "a gap is waited for": audit.FILLED_WITHIN,
        "heads are remembered": audit.HEADS_REMEMBERED,
        "anchoring stays awake": audit.AWAKE_FOR,
        "records go without a MAC": audit.KEY_RETRIED_AFTER,
        "anchors beyond the log": audit.KEPT_LONGER,
    } == {
        "a link is exchanged again": MINUTE,
        "a notice comes again": 20 * MINUTE,
        "a reminder comes again, at the least": 5 * MINUTE,
        "who decided is told": DAY,
        "a month's key": 70 * DAY,
        "a key that was rotated out": DAY,
        "a key in a process": MINUTE,
        "a key of records that was revoked": 10 * MINUTE,
        "an issuer's keys in a process": 5 * MINUTE,
        "the same while the issuer is away": HOUR,
        "a token beyond its time": 10 * SECOND,
        "a clock that is ahead": 5 * MINUTE,
        "an uninitialized session is sent nothing": 10 * MINUTE,
        "a session in a process": 5 * SECOND,
        "a late response is no forgery": DAY,
        "a chain of records": 10 * MINUTE,
        "a record after its chain": 5 * MINUTE,
        "the log is read again": 5 * MINUTE,
        "a gap is waited for": 3 * MINUTE,
        "heads are remembered": 2 * HOUR,
        "anchoring stays awake": 15 * MINUTE,
        "records go without a MAC": 10 * SECOND,
        "anchors beyond the log": 366 * DAY,
    }


def test_how_much_one_who_is_not_trusted_may_send_or_ask() -> None:
    assert (tenants.MAX_LINK_HOURS, tenants.MAX_LISTED_APPROVALS, tenants.MAX_INBOX_SCANNED) == (24, 20, 200)
    assert (tools.MAX_QUORUM, tools.MAX_APPROVALS, tools.MAX_REMINDERS) == (10, 10, 20)
    assert (tools.MAX_ACCEPTED_CHARACTERS, tools.MAX_SHOWN_CHARACTERS, tools.MAX_AUDIENCE_BYTES) == (
        100_000,
        20_000,
        512,
    )
    assert (
        *(50_000, 20, 20_000),
        1_000,
    ) == (tools.MAX_MESSAGES, tools.MESSAGES_PER_SECOND, tools.MESSAGE_BYTES, tools.MAX_LEASED_MESSAGES)
    assert (
        *(8, 2_000),
        *(50, 2_000),
    ) == (requests.MAX_ACTORS, requests.MAX_ACTOR_BYTES, requests.MAX_ROLES, requests.MAX_ROLES_BYTES)
    assert (requests.MAX_BATCH_MESSAGES, requests.MAX_REJECTED_RESPONSES, requests.MAX_LINK_CHARACTERS) == (
        20,
        6,
        4_000,
    )
    assert (
        *(800, 100),
        *(200, 10),
    ) == (audit.LINKS_IN_ANCHOR, audit.LINKS_OF_CHAIN, audit.FORGED_NAMED, audit.CHAINS_REPORTED)
