"""The stack, synthesised once for all tests of this folder."""

import pytest

from tests.infra.assembly import APP, OWN_STAGE, UNBUNDLED, Assembly, synthesise_once
from tests.shelf import shelf as shelf

SAMPLES = {"machines_module": "tests.infra.sample_machines", "tools_module": "tests.infra.sample_tools"}


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage of the examples for AWS, as the context has it by default."""
    return synthesise_once(tmp_path_factory, "cloud", UNBUNDLED, validation=True)


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage of the app in the root, with whatever tools, state machines and access there are."""
    return synthesise_once(tmp_path_factory, "own", OWN_STAGE, of=APP, validation=True)


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage of the examples with state machines of every kind, and with tools for them."""
    return synthesise_once(tmp_path_factory, "sampled", {**UNBUNDLED, **SAMPLES})


@pytest.fixture(scope="session")
def checked_samples(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The same, looked at by cdk-nag, which takes as long again."""
    return synthesise_once(tmp_path_factory, "checked_samples", {**UNBUNDLED, **SAMPLES}, validation=True)


@pytest.fixture(scope="session")
def prod(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The stage whose data is to be kept."""
    return synthesise_once(tmp_path_factory, "prod", {**UNBUNDLED, "stage": "prod"})


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The stage for the emulator on this machine, with some settings given as one would on the command line."""
    settings = {
        "public_url": "http://127.0.0.1:4566/{api}",
        "tools_module": "others",
        "max_active_tasks": "7",
        "plans": '{"gold": {"active_tasks": 70}}',
        "instructions": "Long tools are tasks.",
        "server_icons": '[{"src": "https://a.example/icon.png", "sizes": ["48x48"]}]',
        "allowed_origins": '["https://a.example", "https://b.example"]',
    }
    return synthesise_once(tmp_path_factory, "local", {"local": "1", **settings})
