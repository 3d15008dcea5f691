"""How `make top` shows a stage in a terminal."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from local.top_data import Frame, TenantRow

RATES: Final = ("request", "refused", "5xx", "created", "finished", "tool error", "failed", "cancelled", "expired")
COLUMNS: Final = ("tenant", "active", "running", "queued", "suspended", "oldest", "requests/min")
RED: Final = frozenset({"5xx", "failed", "expired"})


def shown(frame: Frame) -> RenderableType:
    """Return a frame as it is printed; nothing of it is read as markup."""
    return Group(*_lines(frame))


def _lines(frame: Frame) -> Iterator[RenderableType]:
    live = f"live tasks: {frame.live}{'+' if frame.more_tasks else ''}"
    yield Text(f"{frame.at:%H:%M:%S} UTC   {live}", style="bold")
    yield _rates(frame)
    yield _tenants(frame)
    if frame.more_tenants:
        yield Text(f"and {frame.more_tenants} tenants with fewer tasks", style="dim")
    if frame.more_tasks:
        yield Text("There are more live tasks than are read: tenants and ages are those of some.", style="yellow")
    if frame.left_out:
        yield Text(
            f"{frame.left_out} tasks or tenants cannot be shown: what is stored of them is damaged.", style="red"
        )
    if frame.behind:
        yield Text("The log grows faster than it is read: rates are higher than shown.", style="yellow")
    yield Text("\nLast errors" if frame.errors else "\nNo errors in the last minutes.", style="bold")
    for each in frame.errors:
        yield Text(f"{each.at:%H:%M:%S}  {each.tenant or '-':<20.20}  {each.error}", style="red")


def _rates(frame: Frame) -> Text:
    line = Text("per minute:")
    for name in RATES:
        rate = frame.rates.get(name, 0)
        line.append(f"  {name} {rate:.1f}", style="red" if rate and name in RED else "")
    return line


def _tenants(frame: Frame) -> Table:
    table = Table(*COLUMNS, box=None, header_style="dim")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in frame.tenants:
        table.add_row(*(Text(each) for each in _cells(row)))
    return table


def _cells(row: TenantRow) -> Iterator[str]:
    yield row.name
    yield from map(str, (row.active, row.running, row.queued, row.suspended))
    yield "-" if row.oldest is None else age(row.oldest)
    yield f"{row.requests:.1f}"


def age(span: timedelta) -> str:
    """Return a span in its two largest units, such as `2 d 3 h`."""
    seconds = max(0, int(span.total_seconds()))
    parts = [(seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s")]
    first = next((place for place, (number, _) in enumerate(parts) if number), len(parts) - 1)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2])
