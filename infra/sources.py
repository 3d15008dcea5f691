"""Where the code that is deployed lies: in folders of a clone, or in the one package that is installed."""

from pathlib import Path

from mcp_tasks.limits import aws

INFRA = Path(__file__).parent
FUNCTIONS = INFRA.with_name("functions")
CORE = Path(aws.__file__).parents[1]

# In a clone the package is in a layer, which has the lock.
CORE_LAYER = CORE if INFRA.parent == CORE else CORE.parents[1]
CORE_LOCK = CORE_LAYER / "requirements.txt"

# Of the package, what no function imports.
NOT_DEPLOYED = ("testing", "infra", "functions", "requirements.txt", "*.md")
