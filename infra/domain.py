"""A domain of one's own for the API, with a certificate that exists, and records that lead to it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_apigateway as api
from aws_cdk.aws_certificatemanager import Certificate
from aws_cdk.aws_route53 import CfnRecordSet
from constructs import Construct

FIELDS = {"name": r"[^\s/:]+\.[^\s/:]+", "certificate_arn": r"arn:aws[a-z-]*:acm:.+", "hosted_zone_id": r"[A-Z0-9]+"}


class Domain(Construct):
    """`domain_name` is the API's custom domain; without a hosted zone, its records are the adopter's to create."""

    def __init__(
        self, scope: Construct, construct_id: str, *, name: str, certificate_arn: str, hosted_zone_id: str = ""
    ) -> None:
        super().__init__(scope, construct_id)
        self.domain_name = api.DomainName(
            self,
            "Name",
            domain_name=name,
            certificate=Certificate.from_certificate_arn(self, "Certificate", certificate_arn),
            endpoint_type=api.EndpointType.REGIONAL,
            security_policy=api.SecurityPolicy.TLS_1_2,
        )
        target = CfnRecordSet.AliasTargetProperty(
            dns_name=self.domain_name.domain_name_alias_domain_name,
            hosted_zone_id=self.domain_name.domain_name_alias_hosted_zone_id,
        )
        for kind in ("A", "AAAA") if hosted_zone_id else ():
            CfnRecordSet(self, kind, hosted_zone_id=hosted_zone_id, name=name, type=kind, alias_target=target)


def check_domain(domain: Mapping[str, Any]) -> None:
    """Raise `ValueError` for what is no domain; its text says what to write instead."""
    if domain and not {"name", "certificate_arn"} <= domain.keys() <= FIELDS.keys():
        raise ValueError(f"domain has name, certificate_arn and perhaps hosted_zone_id, not {', '.join(domain)}")
    for name, value in domain.items():
        if not isinstance(value, str) or not re.fullmatch(FIELDS[name], value):
            raise ValueError(f"domain has {json.dumps(value)} as its {name}")
