"""Whatever headers a request has, it reaches nothing of another caller's, and nothing in them is believed."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.harness import package
from mcp_tasks.wire import apigateway
from tests.attacks import docs
from tests.attacks.aws_calls import READS
from tests.attacks.header_cases import NO_EFFECT, HeaderCase, common, header
from tests.attacks.identities import OWNER
from tests.attacks.sender import Answered, Sender
from tests.attacks.server import AttackedServer, places

EVE = Caller(tenant="rival", subject="eve")
CALLER = apigateway.caller


@pytest.fixture
def eve(server: AttackedServer) -> Sender:
    """Somebody else, who asks for a task of the owner's."""
    return Sender.of(server, EVE, server.objects["task"]["working"])


def cases_of(server: AttackedServer, sender: Sender) -> list[HeaderCase]:
    own = import_module(f"tests.attacks.{package(server.revision)}.header_cases")
    return [*common(sender.token), *own.of_revision(sender.request.headers, server.objects)]


def wrongs(sender: Sender, cases: list[HeaderCase]) -> dict[str, list[str]]:
    usual = sender.answered()
    assert (usual.status, usual.code) == (200, -32602)
    found = {case.name: [*_wrong(case, sender.answered(case), usual)] for case in cases}
    return {name: wrong for name, wrong in found.items() if wrong}


def _wrong(case: HeaderCase, found: Answered, usual: Answered) -> Iterator[str]:
    if case.outcome is NO_EFFECT and found != usual:
        yield f"not as without: {found}"
    if case.outcome is not NO_EFFECT and not case.outcome.fits(found.status, found.code):
        yield f"not {case.outcome}: {found}"
    if any(not value.isprintable() for pair in found.headers.items() for value in pair):
        yield f"headers that end early: {found.headers}"
    if reached := [call for call in found.calls if any(place in call.parameters for place in places(OWNER))]:
        yield f"the owner's: {reached}"
    if written := [call for call in found.calls if call.operation not in READS]:
        yield f"written: {written}"


def test_no_header_is_believed_and_none_breaks_anything(server: AttackedServer, eve: Sender) -> None:
    assert wrongs(eve, cases_of(server, eve)) == {}


def test_no_token_is_in_the_log(server: AttackedServer, eve: Sender, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for case in cases_of(server, eve):
        caplog.clear()
        eve.answered(case)
        logged = [json.dumps(vars(record), default=str) for record in caplog.records]
        assert logged, case.name
        tokens = [part for _, value in case.headers for part in str(value).split(".") if "eyJ" in str(value)]
        secrets = [part for part in (*eve.token.split("."), *tokens) if len(part) > 15]
        assert [part for part in secrets for line in logged if part in line] == [], case.name


def test_the_owner_is_answered_otherwise(server: AttackedServer) -> None:
    found = Sender.of(server, OWNER, server.objects["task"]["working"]).answered()

    assert (found.status, found.code, "working" in found.body) == (200, None, True)


def test_a_header_that_is_believed_is_found(eve: Sender) -> None:
    def believing(event: Mapping[str, Any]) -> Caller:
        caller = CALLER(event)
        return replace(caller, tenant=event["headers"].get("X-Tenant", caller.tenant))

    case = header("X-Tenant", OWNER.tenant, NO_EFFECT)
    with patch.object(apigateway, "caller", believing):
        assert wrongs(eve, [case]).keys() == {case.name}


def test_a_header_that_breaks_a_function_is_found(eve: Sender) -> None:
    cases = [header("Accept", "*/*", NO_EFFECT), header("X-Any", "x", NO_EFFECT)]
    with patch.object(apigateway, "request", side_effect=KeyError("accept")), pytest.raises(Exception, match="accept"):
        wrongs(eve, cases)


def test_there_are_as_many_cases_as_are_told(server: AttackedServer, eve: Sender) -> None:
    names = [case.name for case in cases_of(server, eve)]

    assert [name for name in names if names.count(name) > 1] == []
    assert len(names) >= 102
    assert docs.says(f"{len(names)} in {server.revision}")
