"""Who is calling: the authorizer that turns a bearer token into tenant, subject and scopes."""

from aws_cdk import Duration
from aws_cdk.aws_apigateway import IdentitySource, RequestAuthorizer
from aws_cdk.aws_lambda import IFunction
from constructs import Construct


class Identity(Construct):
    """`authorizer` is asked once a token and minute; a request without a token is refused unasked."""

    def __init__(self, scope: Construct, construct_id: str, *, authorize: IFunction) -> None:
        super().__init__(scope, construct_id)
        self.authorizer = RequestAuthorizer(
            self,
            "Authorizer",
            handler=authorize,
            identity_sources=[IdentitySource.header("Authorization")],
            # A token is good for this long after it expired.
            results_cache_ttl=Duration.minutes(1),
        )
