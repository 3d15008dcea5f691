"""The environment of every test: no account, no network, one region, and no hurry."""

import os

from hypothesis import settings

os.environ |= {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    # Otherwise boto3 sends the calls of DynamoDB Streams to a host of the account's own, which moto does not know.
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
}

# How long an example takes says more of the machine than of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
