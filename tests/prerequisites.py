"""What tests need beside this Python: a tool that is missing fails them, because what is skipped proves nothing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
EMULATOR = ".local/emulator/ready"
CLIENT = ".local/client/ready"

# Node itself comes with .venv.
TOOLS: Mapping[str, Sequence[str]] = {
    "tests/clients/": [
        EMULATOR,
        CLIENT,
        ".local/client_v2/ready",
        ".local/client_langchain/ready",
        ".local/node_clients/ready",
        ".local/node_oidc/ready",
    ],
    "tests/conformance/": [".local/node_conformance/ready"],
    "tests/deploys/": [EMULATOR],
    "tests/first_day/": [EMULATOR, CLIENT, ".local/client_v2/ready", ".local/client_langchain/ready"],
    "tests/harness/rev_2025_11_25/test_official_client.py": [CLIENT],
    "tests/infra/": [".local/node/ready"],
    "tests/package/": [".local/node/ready"],
    "tests/local/test_emulator_tokens.py": [EMULATOR],
    "tests/local/test_foreign_emulator.py": [EMULATOR],
    "tests/local/test_emulator_transactions.py": [EMULATOR],
    "tests/page/": [EMULATOR, ".local/node_page/ready", ".local/node_oidc/ready", ".local/node_clients/ready"],
    "tests/soak/": [EMULATOR],
    "tests/stack/": [EMULATOR, CLIENT],
    "tests/test_editor.py::test_pyright": [".local/node_pyright/ready"],
    "tests/template/": [".local/copier/ready"],
}
"""What the tests of a folder or a file need, as targets of make."""


def missing(test: str, root: Path = ROOT) -> str | None:
    """Say which tools a test lacks, given its node id, and what to run; None if it has all."""
    needed = [tool for place, tools in TOOLS.items() if test.startswith(place) for tool in tools]
    lacking = [tool for tool in needed if not (root / tool).exists()]
    return f"This test needs what is not there: run `make {' '.join(lacking)}`." if lacking else None
