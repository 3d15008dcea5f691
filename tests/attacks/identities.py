"""The owner of what is attacked, and those whose names are almost the same, or mean something to some layer."""

from typing import Final

from mcp_tasks.security.tenancy import Caller

OWNER: Final = Caller(tenant="Acm\u00e9", subject="ada#1")
"""With a composed letter, a capital, and the character that separates tenant and subject."""

COLLEAGUES: Final = {
    "another subject": "bob",
    "in other case": "ADA#1",
    "a beginning": "ada#",
    "a longer name": "ada#12",
    "with a space behind": "ada#1 ",
    "with a space in front": " ada#1",
    "with a NUL behind": "ada#1\x00",
    "with a line break behind": "ada#1\n",
    "with a tab behind": "ada#1\t",
    "with a no-break space behind": "ada#1\u00a0",
    "with a slash behind": "ada#1/",
    "with a zero-width space": "ada\u200b#1",
    "with a soft hyphen": "a\u00adda#1",
    "with a byte order mark": "\ufeffada#1",
    "quoted": "ada%231",
    "quoted twice": "ada%25231",
    "quoted in small letters": "ada%2331",
    "with the digit of another script": "ada#\u0661",
    "with a wide digit": "ada#\uff11",
    "with a wide number sign": "ada\uff031",
    "with a colon for the separator": "ada:1",
    "with a slash for the separator": "ada/1",
    "with a NUL for the separator": "ada\x001",
    "with the owner's twice": "ada#1,ada#1",
    "with a Cyrillic letter": "\u0430da#1",
    "after the separator": "1",
    "before the separator": "ada",
    "all, joined": "Acm\u00e9#ada#1",
    "the owner key": OWNER.owner_key,
    "the tenant": "Acm\u00e9",
    "a path": "../Acm\u00e9/ada#1",
    "a task's sort key": "task#1",
    "any": "*",
    "a variable of policies": "${aws:PrincipalTag/tenant}",
    "null": "null",
    "no name": "anonymous",
    "very long": "ada#1" * 110,
}
"""Subjects in the owner's tenant."""

TENANTS: Final = {
    "another tenant": "rival",
    "in small letters": "acm\u00e9",
    "in capitals": "ACM\u00c9",
    "decomposed": "Acme\u0301",
    "without its accent": "Acme",
    "with a wide letter": "\uff21cm\u00e9",
    "with a Greek letter": "\u0391cm\u00e9",
    "a beginning": "Acm",
    "a longer name": "Acm\u00e9e",
    "with a space behind": "Acm\u00e9 ",
    "with a NUL behind": "Acm\u00e9\x00",
    "with a separator behind": "Acm\u00e9#",
    "with a slash behind": "Acm\u00e9/",
    "with a dot behind": "Acm\u00e9.",
    "quoted": "Acm%C3%A9",
    "quoted in small letters": "Acm%c3%a9",
    "as its tag": "Acm=C3=A9",
    "as Latin-1": "Acm%E9",
    "as UTF-8 read as Latin-1": "Acm\u00c3\u00a9",
    "all, joined": "Acm\u00e9#ada#1",
    "the owner key": OWNER.owner_key,
    "any": "*",
    "the system's partition": "#",
    "nobody's": "anonymous",
}
"""Tenants of another caller with the owner's subject."""

OTHERS: Final = {
    "the names exchanged": Caller(tenant=OWNER.subject, subject=OWNER.tenant),
    "cut at the other separator": Caller(tenant="Acm\u00e9#ada", subject="1"),
    "cut in front of the separator": Caller(tenant="Acm\u00e9#ada", subject="#1"),
    "cut behind the separator": Caller(tenant="Acm\u00e9#ada#", subject="1"),
    "cut, with another separator": Caller(tenant="Acm\u00e9/ada", subject="1"),
    "both others'": Caller(tenant="rival", subject="eve"),
    "both in small letters": Caller(tenant="acm\u00e9", subject="ADA#1"),
    "both quoted": Caller(tenant="Acm%C3%A9", subject="ada%231"),
    "cut elsewhere": Caller(tenant="Acm", subject="\u00e9#ada#1"),
    "almost nobody": Caller(tenant="anonymous", subject="Anonymous"),
}

STRANGERS: Final[dict[str, Caller]] = {
    **{f"subject: {what}": Caller(tenant=OWNER.tenant, subject=subject) for what, subject in COLLEAGUES.items()},
    **{f"tenant: {what}": Caller(tenant=tenant, subject=OWNER.subject) for what, tenant in TENANTS.items()},
    **OTHERS,
}
