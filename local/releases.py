"""The releases of a deployed stack: each deploy that changes code publishes a version of every function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import boto3
from botocore.exceptions import ClientError

from local.stage import Refused

LATEST = "$LATEST"
Stores = Sequence[str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version that was published of a function, and the release that it is of; `stores` is where it has tasks."""

    number: int
    release: str
    published: datetime
    stores: Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A function with an alias: `held` is the version that this leads to, `deployed` the release deployed last.

    `versions` are the newest first.  `revision` is that of the alias, which changes with it, and `stores` is where the
    release deployed last has tasks.
    """

    name: str
    alias: str
    held: int
    revision: str
    deployed: str
    stores: Stores
    versions: Sequence[Version]

    @property
    def release(self) -> str | None:
        """The release of the version that is held, if that has a name."""
        return next((each.release for each in self.versions if each.number == self.held), None)

    def of(self, release: str) -> Version | None:
        """Return the newest version of a release."""
        return next((each for each in self.versions if each.release == release), None)

    def earlier(self) -> list[str]:
        """Return the releases before the one that was deployed last, the newest first."""
        last = self.of(self.deployed)
        older = [each.release for each in self.versions if last and each.number < last.number]
        return [release for release in dict.fromkeys(older) if release != self.deployed]


def releases(functions: Sequence[Published]) -> list[str]:
    """Return the releases of which there are versions, the newest first."""
    known = max(functions, key=lambda each: len(each.versions)).versions
    return list(dict.fromkeys(each.release for each in known))


def is_elsewhere(function: Published, version: Version) -> bool:
    """Return whether a version has its tasks elsewhere than the release deployed last, whose stream is followed."""
    return any(one and other and one != other for one, other in zip(function.stores, version.stores, strict=True))


def release_before(functions: Sequence[Published]) -> str | None:
    """Return the release before the one deployed last: the newest earlier one that no function lacks.

    Functions that are new have none of these; a deploy that failed before all were published is none.  Where that was
    not undone either, the release before is the one that the other functions still have.
    """
    last = {each.deployed for each in functions}.difference(*(each.earlier() for each in functions))
    had = ([name for name in (each.deployed, *each.earlier()) if name not in last] for each in functions)
    known = [each for each in had if last and each]
    complete = (release for release in max(known, key=len, default=[]) if all(release in each for each in known))
    return next(complete, None)


def published(lambdas: Any, aliases: Mapping[str, str]) -> list[Published]:
    """Return the functions with these names, each with the alias of its name."""
    return [_published(lambdas, name, alias) for name, alias in aliases.items()]


def _published(lambdas: Any, name: str, alias: str) -> Published:
    held = lambdas.get_alias(FunctionName=name, Name=alias)
    if held.get("RoutingConfig", {}).get("AdditionalVersionWeights"):
        raise Refused(f"A deploy is moving requests of {name} from one version to another: end that first.")
    pages = lambdas.get_paginator("list_versions_by_function").paginate(FunctionName=name)
    found = {each["Version"]: each for page in pages for each in page["Versions"]}
    latest = found.pop(LATEST)
    return Published(
        name=name,
        alias=alias,
        held=int(held["FunctionVersion"]),
        revision=held["RevisionId"],
        deployed=_release(latest),
        stores=_stores(latest),
        versions=sorted(map(_version, found.values()), key=lambda each: each.number, reverse=True),
    )


def _version(found: Mapping[str, Any]) -> Version:
    published = datetime.fromisoformat(found["LastModified"])
    number, release = int(found["Version"]), _release(found)
    return Version(number=number, release=release, published=published, stores=_stores(found))


def _release(configuration: Mapping[str, Any]) -> str:
    return str(_variables(configuration).get("RELEASE", ""))


def _stores(configuration: Mapping[str, Any]) -> Stores:
    variables = _variables(configuration)
    return [variables.get(name) for name in ("TABLE_NAME", "PAYLOAD_BUCKET")]


def _variables(configuration: Mapping[str, Any]) -> Mapping[str, str]:
    variables: Mapping[str, str] = configuration.get("Environment", {}).get("Variables", {})
    return variables


def aliases_of(stack: str) -> dict[str, str]:
    """Return the alias of each function of a stack, by the function's name, in the order of the stack's resources.

    Raises `Refused` where there is no such stack, where it has none, or while it is deployed.
    """
    cloudformation = boto3.client("cloudformation")
    try:
        (described,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
        found = dict(_aliases(each for page in pages for each in page["StackResourceSummaries"]))
    except ClientError as error:
        raise Refused(f"There is no stack {stack}: {error}.") from None
    if described["StackStatus"].endswith("_IN_PROGRESS"):
        raise Refused(f"The stack {stack} is being deployed: wait until that has ended, or stop it.")
    if not found:
        raise Refused(
            f"The stack {stack} has no aliases: it was deployed by 0.3, and a first deploy of 0.4 makes them."
        )
    return found


def _aliases(resources: Iterator[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for each in resources:
        if each["ResourceType"] == "AWS::Lambda::Alias":
            name, alias = each["PhysicalResourceId"].rpartition(":function:")[2].split(":")
            yield name, alias
