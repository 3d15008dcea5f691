"""Deploys the CDK stack to the emulator as to AWS: synthesises it, uploads its assets, creates the stack."""

import io
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError, WaiterError

from local.emulator import ACCOUNT, REGION, ROOT, Emulator
from local.processes import run

POLL_SECONDS = 0.1
DEPLOY_SECONDS = 120
NOTHING_TO_UPDATE = "No updates are to be performed"
BOOTSTRAP_VERSION = "/cdk-bootstrap/hnb659fds/version"


class DeployFailed(Exception):
    """The stack could not be synthesised, created or updated; the text says why."""


def deploy(emulator: Emulator, app: Path, context: Mapping[str, Any]) -> Mapping[str, str]:
    """Create an app's stack on the emulator, or update it, and return its outputs.

    `context` is what `cdk -c` would pass.

    Raises:
        DeployFailed: the app or the stack could not be made; the text says why.
    """
    assembly = emulator.folder / "cdk.out"
    synthesise(app, emulator.environment, context, assembly)
    return deploy_assembly(emulator, assembly)


def deploy_assembly(emulator: Emulator, assembly: Path) -> Mapping[str, str]:
    """Create the one stack of a cloud assembly on the emulator, or update it, and return its outputs.

    Raises `DeployFailed`.
    """
    _bootstrap(emulator)
    (name,) = [path.name.removesuffix(".assets.json") for path in assembly.glob("*.assets.json")]
    _upload_assets(emulator, assembly, name)
    return _create_or_update(emulator, assembly, name)


def write_catalogue(environment: Mapping[str, str], context: Mapping[str, Any], *, root: Path = ROOT) -> None:
    """Write the catalogue of the tools of a checkout, which on AWS is a file in the tools layer.

    Raises:
        DeployFailed: The tools cannot be imported; the text says why.
    """
    command = [sys.executable, "-m", "mcp_tasks.features.catalogue", context["tools_module"]]
    file, draft = Path(context["catalogue"]), Path(f"{context['catalogue']}.draft")
    draft.write_text(_printed(command, environment, "the tools cannot be imported", root))
    # At once, since functions may be reading it.
    draft.replace(file)


def synthesise(
    app: Path, environment: Mapping[str, str], context: Mapping[str, Any], assembly: Path, *, root: Path = ROOT
) -> None:
    """Write the cloud assembly of an app of a checkout into a folder; raises `DeployFailed`."""
    more = {
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_OUTDIR": str(assembly),
        "CDK_DEFAULT_ACCOUNT": ACCOUNT,
        "CDK_DEFAULT_REGION": REGION,
        # cdk-nag and the other validations take seconds; `make synth` runs them.
        "CDK_VALIDATION": "false",
        # jsii unpacks the CDK into its cache; in the private home it would do so at every start.
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(ROOT / ".local/jsii"),
    }
    _printed([sys.executable, str(app)], {**environment, **more}, f"{app.name} failed", root)


def _printed(command: Sequence[str], environment: Mapping[str, str], failure: str, root: Path) -> str:
    done = run(command, cwd=root, environment=environment)
    if done.returncode:
        raise DeployFailed(f"{failure}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def _bootstrap(emulator: Emulator) -> None:
    """Put the one parameter of `cdk bootstrap` that the template checks."""
    emulator.client("ssm").put_parameter(Name=BOOTSTRAP_VERSION, Value="30", Type="String", Overwrite=True)


def _upload_assets(emulator: Emulator, assembly: Path, name: str) -> None:
    """Upload every file that the assembly's manifest lists, template included, to the bucket and key that it names."""
    s3 = emulator.client("s3")
    manifest = json.loads((assembly / f"{name}.assets.json").read_text())
    for asset in manifest["files"].values():
        body = _packed(assembly / asset["source"]["path"], asset["source"]["packaging"])
        for destination in asset["destinations"].values():
            bucket = _resolved(destination["bucketName"])
            s3.create_bucket(Bucket=bucket)
            s3.put_object(Bucket=bucket, Key=destination["objectKey"], Body=body)


def _packed(path: Path, packaging: str) -> bytes:
    """Read a file, or zip a folder keeping the permission bits: a function's `bootstrap` must stay executable."""
    if packaging == "file":
        return path.read_bytes()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            archive.write(file, file.relative_to(path))
    return zipped.getvalue()


def _create_or_update(emulator: Emulator, assembly: Path, name: str) -> dict[str, str]:
    cloudformation = emulator.client("cloudformation")
    exists = any(stack["StackName"] == name for stack in cloudformation.describe_stacks()["Stacks"])
    change, done = (
        (cloudformation.update_stack, "stack_update_complete")
        if exists
        else (cloudformation.create_stack, "stack_create_complete")
    )
    try:
        change(
            StackName=name,
            TemplateURL=_template_url(emulator, assembly, name),
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
        )
        cloudformation.get_waiter(done).wait(
            StackName=name,
            WaiterConfig={"Delay": POLL_SECONDS, "MaxAttempts": int(DEPLOY_SECONDS / POLL_SECONDS)},
        )
    except WaiterError as error:
        raise DeployFailed("\n".join(_failures(cloudformation, name))) from error
    except ClientError as error:
        if NOTHING_TO_UPDATE not in str(error):
            raise DeployFailed(str(error)) from error
    (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def _template_url(emulator: Emulator, assembly: Path, name: str) -> str:
    artifact = json.loads((assembly / "manifest.json").read_text())["artifacts"][name]
    path = _resolved(artifact["properties"]["stackTemplateAssetObjectUrl"]).removeprefix("s3://")
    return f"{emulator.url}/{path}"


def _failures(cloudformation: Any, name: str) -> Iterator[str]:
    yield f"stack {name} was not deployed:"
    for event in cloudformation.describe_stack_events(StackName=name)["StackEvents"]:
        if event["ResourceStatus"].endswith("FAILED"):
            yield f"{event['LogicalResourceId']} ({event['ResourceType']}): {event.get('ResourceStatusReason')}"


def _resolved(text: str) -> str:
    """Replace the pseudo parameters of account and region, which CloudFormation does not resolve in asset names."""
    return text.replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Region}", REGION)
