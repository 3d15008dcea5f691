"""docs/deploy.md: what the snapshots of a stage cost, of which this revision has one more."""

import re
from datetime import timedelta

from tests.infra.assembly import ROOT, Assembly
from tests.infra.test_functions import function
from tests.infra.test_snap_start import WAITED_FOR


def test_the_documents_have_the_price_of_what_is_kept(cloud: Assembly) -> None:
    page = (ROOT / "docs" / "deploy.md").read_text()
    costs = page.split("## Starting from snapshots")[1].split("\n- **")[1]
    cached, by_restore = re.findall(r"\$([\d.]+)", costs)[:2]
    size = sum(function(cloud, name)["MemorySize"] for name in WAITED_FOR) / 1024

    assert f"{size} GB" in costs
    assert f"${size * float(cached) * timedelta(days=30).total_seconds():.2f} a month" in costs
    assert f"${1_000 * float(by_restore):.2f}" in costs
