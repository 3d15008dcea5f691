"""The console at the API's root, served by API Gateway's mock integration without a function."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from aws_cdk import Token
from aws_cdk import aws_apigateway as api
from constructs import Construct

from mcp_tasks.limits.operators import ADMIN
from mcp_tasks.page import console, console_headers

from .mocks import add_mock
from .server_settings import ServerSettings


class Page(Construct):
    """The page by which people see tasks and answer questions: the same for everybody, who log in by it."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        rest: api.RestApi,
        settings: ServerSettings,
        issuers: Sequence[str],
    ) -> None:
        super().__init__(scope, construct_id)
        origins = [*_sources(issuers), *settings.page_origins] if settings.page_client_id else []
        headers = console_headers(origins)
        operators_scope = settings.operators.get("scope", ADMIN) if settings.operators else ""
        reason = "The page has nothing of anybody's: it is what people log in by."
        text = console(settings.page_client_id, operators_scope)
        # Programs that look through mails ask for the head alone, and take an error for a broken link.
        for method, body in (("GET", text), ("HEAD", "")):
            add_mock(rest.root, method, "200", headers, body, reason=reason)


def _sources(issuers: Sequence[str]) -> Iterator[str]:
    """Yield the sources of a Content Security Policy from which the metadata of issuers is read."""
    for issuer in issuers:
        if Token.is_unresolved(issuer):
            # Its origin is known to CloudFormation alone; with a slash, all that is below it may be fetched.
            yield f"{issuer}/"
        else:
            found = urlsplit(issuer)
            yield f"{found.scheme}://{found.netloc}"
