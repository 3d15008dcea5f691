"""An environment in which no AWS account is reached."""

import os
from typing import Final

NO_ACCOUNT: Final = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    # Otherwise boto3 sends the calls of DynamoDB Streams to a host of the account's own, which moto does not know.
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
}

GIVEN: Final = {name: os.environ[name] for name in NO_ACCOUNT if name in os.environ}
"""What the environment had in place of it, for tests of a stage on AWS."""
