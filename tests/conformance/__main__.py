"""`make conformance`: run the official runner on both targets, and write down what it found if that was expected."""

import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from local.emulator import ROOT
from tests.conformance import report
from tests.conformance.runner import REVISIONS, Scenario, run, version
from tests.conformance.targets import TARGETS, server
from tests.conformance.verdict import judge


def main() -> int:
    """Return 0 if there was no surprise."""
    ran, servers, wrong = {}, set(), []
    for target, start in TARGETS.items():
        with start() as url:
            servers.add(server(url))
            ran[target] = [scenario for revision in REVISIONS for scenario in _run(target, url, revision)]
        wrong += [f"{target}, {line}" for line in judge(ran[target])]
    print("", *wrong, sep="\n")
    if wrong:
        print(f"surprises: {len(wrong)}; {report.FILE.relative_to(ROOT)} stays as it is")
        return 1
    report.FILE.write_text(report.page(_setting(servers), ran))
    print(f"nothing unexpected: wrote {report.FILE.relative_to(ROOT)}")
    return 0


def _run(target: str, url: str, revision: str) -> Sequence[Scenario]:
    began = time.monotonic()
    found = run(url, revision)
    scored = [scenario for scenario in found if scenario.unscored is None]
    counts = f"{report.summary(scored):>8} scored, {report.summary(found):>8} in all"
    print(f"{target:<10} {revision} {counts}   ({time.monotonic() - began:.0f} s)", flush=True)
    return found


def _setting(servers: set[str]) -> report.Setting:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    (name,) = servers
    return report.Setting(date=f"{datetime.now(UTC):%Y-%m-%d}", runner=version(), node=node, server=name)


if __name__ == "__main__":
    sys.exit(main())
