"""How the verbs of ``mipl data`` show what they found."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mipl.cli.output import pairs, show, show_json, table, title
from mipl.errors import counted
from mipl.plain_text import plain

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.data.description import Description
    from mipl.data.findings import Finding
    from mipl.datasets.entries import Entry
    from mipl.datasets.fetch import Fetched
    from mipl.datasets.published_table import Record

_FEW = 12  # Names of classes that fit on a line.
_COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def show_description(told: Description) -> None:
    """Show the columns of the published table, then the rest, then bag sizes."""
    from rich.padding import Padding
    from rich.text import Text

    from mipl.datasets import RECORDS

    record = RECORDS.get(told.name)
    here = told.columns()
    if record is None:
        columns = pairs(here)
    else:
        published = _published(record)
        columns = table(
            ["", "here", "published"],
            [[Text(n, "dim"), here[n], published.get(n, "unknown")] for n in here],
        )
    histogram = Text("\n".join(told.histogram()))
    show(
        title(told.name),
        Padding(columns, (0, 0, 1, 2)),
        Padding(pairs(told.details()), (0, 0, 1, 2)),
        title("instances per bag", "size, bags"),
        Padding(histogram, (0, 0, 0, 2)),
    )


def _published(record: Record) -> dict[str, str]:
    """Return the row of the published table in the words of a description."""
    columns = {
        "bags": f"{record.bags:,}",
        "instances": f"{record.instances:,}",
        "n min-max (avg)": f"{record.smallest}-{record.largest} ({record.mean:.2f})",
        "d": f"{record.features:,}",
        "k": str(record.classes),
        "candidates min/avg/max": record.candidates,
    }
    if record.positives is not None:
        shares = (f"{share:.1f}%" for share in record.positives)
        columns["positives min/max/avg"] = " / ".join(shares)
    return columns


def show_findings(name: str, found: Sequence[Finding], checked: str = "") -> None:
    """Show each finding with its examples and its remedy, then how many there are."""
    from rich.padding import Padding
    from rich.text import Text

    for one in found:
        head = Text.assemble((one.severity, _COLOURS[one.severity]), f"  {one.code}")
        more = ", ..." if one.count > len(one.examples) else ""
        body = Text(f"{plain(one.sentence)}\n")
        if one.code != "unreadable":
            body.append(f"e.g. {plain(', '.join(one.examples))}{more}\n", "dim")
        body.append(f"→ {one.remedy}")
        show(head, Padding(body, (0, 0, 1, 2)))
    note = (f"  {checked}", "dim")
    show(Text.assemble((plain(name), "bold"), f": {by_severity(found)}", note))


def by_severity(found: Sequence[Finding]) -> str:
    """Return how many findings of each severity there are, in words."""
    counts = {kind: sum(one.severity == kind for one in found) for kind in _COLOURS}
    words = [f"{n} {kind}{'s'[: n != 1]}" for kind, n in counts.items() if n]
    return ", ".join(words) or "nothing found"


def show_catalog(entries: Sequence[Entry], needs: Sequence[str | None]) -> None:
    """Show the data sets, which of them can be built here, and how to get the rest."""
    from rich.text import Text

    from mipl.datasets.fetch import PUBLISHED

    state = [Text("ready", "green") if n is None else Text("missing") for n in needs]
    rows = [[e.name, e.family, s, e.title] for e, s in zip(entries, state, strict=True)]
    show(table(["name", "family", "", "what it is"], rows))
    remedies = {
        entry.name: need.partition("; ")[2]
        for entry, need in zip(entries, needs, strict=True)
        if need is not None
    }
    if remedies:
        show("", title("what is missing"), pairs(remedies))
    fetched = {"mipl data fetch NAME": f"NAME: {', '.join(sorted(PUBLISHED))}"}
    show("", title("the authors' own files"), pairs(fetched))


def show_written(dataset: Dataset, path: Path, as_json: bool, **others: object) -> None:
    """Tell what was written where, and what to do next; ``others`` go into the JSON."""
    facts = {
        "path": str(path),
        "name": dataset.name,
        "bags": len(dataset),
        "instances": dataset.bags.n_instances,
        "features": dataset.bags.n_features,
        "classes": dataset.classes.tolist(),
    }
    if as_json:
        show_json(facts | others)
        return
    names = [str(name) for name in dataset.classes[:_FEW].tolist()]
    more = ", ..." if len(dataset.classes) > _FEW else ""
    told = (
        f"{counted(len(dataset), 'bag')}, "
        f"{counted(dataset.bags.n_instances, 'instance')} x "
        f"{counted(dataset.bags.n_features, 'feature')}, "
        f"{counted(len(dataset.classes), 'class', 'classes')}: "
        f"{', '.join(names)}{more}"
    )
    follow = title("next", shlex.join(["mipl", "data", "validate", str(path)]))
    show(title(str(path), told), follow, wrap=False)


def show_fetched(fetched: Fetched) -> None:
    """Tell where the files are, and which are known to be the published ones."""
    state = "fetched" if fetched.fresh else "already there"
    head = title(str(fetched.folder), f"{len(fetched.files)} files, {state}")
    show(head, wrap=False)
    for file in fetched.files:
        if file.endswith(".mat") and "index" not in file.lower():
            checked = (
                "content verified" if file in fetched.verified else "arrived whole"
            )
            show(title(f"  {file}", checked), wrap=False)
