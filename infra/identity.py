"""The Lambda authorizer that gets tenant, subject and scopes from a bearer token."""

from aws_cdk import Duration
from aws_cdk.aws_apigateway import IdentitySource, RequestAuthorizer
from aws_cdk.aws_lambda import IFunction
from constructs import Construct


class Identity(Construct):
    """`authorizer` is invoked once a minute for each token; a request without one is refused without invoking it."""

    def __init__(self, scope: Construct, construct_id: str, *, authorize: IFunction) -> None:
        super().__init__(scope, construct_id)
        self.authorizer = RequestAuthorizer(
            self,
            "Authorizer",
            handler=authorize,
            identity_sources=[IdentitySource.header("Authorization")],
            # A token is accepted for up to this long after it expired.
            results_cache_ttl=Duration.minutes(1),
        )
