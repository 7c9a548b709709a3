"""The job that looks at what somebody brings, and writes nothing but what it saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mipl.data.dataset import Dataset
from mipl.data.describe import describe
from mipl.data.findings import findings_of_error
from mipl.data.validate import validate
from mipl.errors import MiplError
from mipl.generators.generator_catalog import CATALOGS, catalog_of
from mipl.io import read_dataset
from mipl.page.recognition import Recognised, reader_options, recognise

_BAGS = 8
_NAMES = 12


def work(arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Read the source with what was corrected; return what came of it.

    A source that cannot be read is no failure of the job: the sentence is what it saw.
    """
    source = Path(arguments["source"])
    seen = Recognised("nothing")
    try:
        options = reader_options(source, arguments["options"])
        seen = recognise(source, arguments["options"])
        if seen.kind in CATALOGS:
            return {"seen": seen.as_dict(), **_items(source, seen)}
        data = read_dataset(source, **options)
    except (MiplError, OSError) as error:
        found = [one.as_dict() for one in findings_of_error(error)]
        # The person knows the file by its name, not by where it lies here.
        told = str(error).replace(f"{source.parent}/", "")
        return {"seen": seen.as_dict(), "error": told, "findings": found}
    return {"seen": seen.as_dict(), **_told(data)}


def _told(data: Dataset) -> dict[str, Any]:
    told = describe(data)
    details = told.details()
    return {
        "figures": told.columns(),
        "details": {n: details[n] for n in ("classes", "groups") if n in details},
        "truth": data.labels is not None,
        "left_out": dict(data.facts.get("left_out", {})),
        "bags": [_bag(data, i) for i in range(min(_BAGS, len(data)))],
        "findings": [one.as_dict() for one in validate(data)],
    }


def _bag(data: Dataset, i: int) -> list[str]:
    """Return name, instances, candidates, true label and group of a bag."""
    sets = data.candidates.matrix[i]
    names = [str(name) for name in data.classes[sets].tolist()]
    more = ", ..." if len(names) > _NAMES else ""
    return [
        data.bags.name(i),
        f"{int(data.bags.sizes[i]):,}",
        ", ".join(names[:_NAMES]) + more,
        "" if data.labels is None else str(data.labels[i]),
        "" if data.groups is None else str(data.groups[i]),
    ]


def _items(source: Path, seen: Recognised) -> dict[str, Any]:
    """Tell how many items there are; they become bags by the import."""
    kind = catalog_of(seen.kind).items()
    files = (path for path in source.rglob("*") if path.is_file())
    count = sum(path.suffix.lower() in kind.suffixes for path in files)
    told: dict[str, Any] = {"figures": {f"{kind.noun}s": f"{count:,}"}}
    if not seen.labels:
        told["error"] = (
            f"there is no label table; add labels.csv with a row per {kind.noun}, or "
            "choose one."
        )
    return told
