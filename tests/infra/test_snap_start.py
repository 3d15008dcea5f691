"""The stage setting `snap_start`: what Lambda is told, which nothing here runs."""

from pathlib import Path
from typing import Any

import pytest

from infra.function_code import functions_of_revisions
from infra.server_settings import ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, app, synthesise_once
from tests.infra.test_functions import NAMES, function, logical_id
from tests.infra.test_nag import nag
from tests.infra.test_releases import ALIAS

WAITED_FOR = {"authorize", "serve_mcp", *functions_of_revisions(), "run_inline", "run_tool", "host_run"}


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage whose functions start from snapshots."""
    return synthesise_once(tmp_path_factory, "restored", {**UNBUNDLED, "snap_start": "true"}, validation=True)


def with_snapshots(assembly: Assembly) -> dict[str, Any]:
    found = {name: function(assembly, name).get("SnapStart") for name in NAMES}
    return {name: setting for name, setting in found.items() if setting}


@pytest.mark.parametrize("stage", ["cloud", "prod", "local"])
def test_there_is_none_unless_the_stage_says_so(stage: str, request: pytest.FixtureRequest) -> None:
    assert with_snapshots(request.getfixturevalue(stage)) == {}


def test_what_clients_wait_for_starts_from_a_snapshot_and_nothing_else(restored: Assembly) -> None:
    assert with_snapshots(restored) == {name: {"ApplyOn": "PublishedVersions"} for name in WAITED_FOR}


def test_it_is_invoked_by_a_version_which_alone_has_a_snapshot(restored: Assembly) -> None:
    versions, aliases = restored.of("AWS::Lambda::Version"), restored.of(ALIAS)
    for name in WAITED_FOR:
        (version,) = aliases[f"{logical_id(name)}Live"]["FunctionVersion"]["Fn::GetAtt"][:1]
        assert versions[version]["FunctionName"] == {"Ref": logical_id(name)}


def test_lambda_takes_snapshots_of_such_functions(restored: Assembly) -> None:
    """It refuses them beside files of EFS, more than 512 MB of them in /tmp, and environments that are kept ready."""
    for name in WAITED_FOR:
        assert {"FileSystemConfigs", "EphemeralStorage", "TenancyConfig"}.isdisjoint(function(restored, name))
    published = [*restored.of("AWS::Lambda::Version").values(), *restored.of(ALIAS).values()]
    assert not [each for each in published if "ProvisionedConcurrencyConfig" in each]


def test_a_stage_that_gets_it_publishes_another_release(restored: Assembly, cloud: Assembly) -> None:
    def release(assembly: Assembly) -> str:
        return str(function(assembly, "sweep")["Environment"]["Variables"]["RELEASE"])

    assert release(restored) != release(cloud)


def test_it_has_no_finding_that_nobody_acknowledged(restored: Assembly) -> None:
    assert nag(restored)["violations"] == []


def test_environments_of_one_tenant_have_no_snapshot() -> None:
    with pytest.raises(ValueError, match=r"^snap_start is set, .*: leave out snap_start, or tool_isolation$"):
        ServerSettings(snap_start=True, tool_isolation="tenant")


def test_the_stage_local_has_none(tmp_path: Path) -> None:
    done = app(tmp_path, {"local": "1", "snap_start": "true"})

    assert done.returncode == 1
    assert done.stderr == "The emulator takes no snapshots: the stage local has no snap_start.\n"
