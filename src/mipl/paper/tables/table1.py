"""Table 1: the data sets, ours beside the published ones."""

from __future__ import annotations

from dataclasses import dataclass

from mipl.data.describe import describe
from mipl.datasets import RECORDS, load_dataset
from mipl.datasets.published_sets import BENCHMARKS, DEEP, TISSUE, PublishedSet
from mipl.errors import MiplError
from mipl.paper.artefact import Product
from mipl.paper.artefact_selection import Selection
from mipl.paper.score_table import origins
from mipl.paper.sheet import Sheet
from mipl.runs.run import Run
from mipl.runs.store import Store

_HEADS = (
    "data set",
    "bags",
    "instances",
    "largest bag",
    "smallest bag",
    "mean bag",
    "features",
    "classes",
    "candidates",
    "here",
)
_NOTE = (
    "Where ours differs, the published value follows in brackets; a dash stands for "
    "data that were not at hand."
)
_CROWD = "2.08"  # Average of the real candidate sets.


@dataclass(frozen=True)
class DataSets:
    """The table of data sets; it needs no runs."""

    name: str = "table1"
    title: str = "The data sets"
    sources: tuple[PublishedSet, ...] = (*BENCHMARKS, *TISSUE, *DEEP)

    def plan(self, selection: Selection) -> list[Run]:
        """Return no runs: data are described, not learnt."""
        return []

    def build(self, store: Store, selection: Selection) -> Product:
        """Describe each data set that is on this machine."""
        chosen = [
            one for one in self.sources if selection.keep("data", [one.id, one.name])
        ]
        rows = tuple(_row(source) for source in chosen)
        sheet = Sheet(self.title, _HEADS, rows, (_NOTE, *origins(tuple(chosen))))
        return Product(self.name, self.title, (sheet,))


def _row(source: PublishedSet) -> tuple[str, ...]:
    printed = _printed(source)
    found = _found(source) or ["-"] * len(printed)
    pairs = zip(found, printed, strict=True)
    told = [ours if ours == said else f"{ours} ({said})" for ours, said in pairs]
    return (source.title, *told, source.here)


def _printed(source: PublishedSet) -> list[str]:
    record = RECORDS[source.id]
    sets = "2, 3, 4" if source.counts else _CROWD
    return [
        str(record.bags),
        str(record.instances),
        str(record.largest),
        str(record.smallest),
        f"{record.mean:.2f}",
        str(record.features),
        str(record.classes),
        sets,
    ]


def _found(source: PublishedSet) -> list[str] | None:
    try:
        data = describe(load_dataset(source.name, **source.options))
    except MiplError:
        return None
    mean = data.candidates_per_bag.mean
    return [
        str(data.bags),
        str(data.instances),
        str(data.instances_per_bag.most),
        str(data.instances_per_bag.least),
        f"{data.instances_per_bag.mean:.2f}",
        str(data.features),
        str(len(data.classes)),
        "2, 3, 4" if source.counts and mean == 2 else f"{mean:.2f}",
    ]


TABLE = DataSets()
