"""Table 1: the data sets, ours beside the published ones."""

from __future__ import annotations

from dataclasses import dataclass

from mipl.datasets.published_sets import BENCHMARKS, DEEP, TISSUE, PublishedSet
from mipl.datasets.published_table import HERE, RECORDS, Record
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
_NOTE = "Where ours differs, the published value follows in brackets."


@dataclass(frozen=True)
class DataSets:
    """The table of data sets; it needs neither runs nor data."""

    name: str = "table1"
    title: str = "The data sets"
    sources: tuple[PublishedSet, ...] = (*BENCHMARKS, *TISSUE, *DEEP)

    def plan(self, selection: Selection) -> list[Run]:
        """Return no runs: data are told of, not learnt."""
        return []

    def build(self, store: Store, selection: Selection) -> Product:
        """Tell what each data set is, and was."""
        chosen = [
            one for one in self.sources if selection.keep("data", [one.id, one.name])
        ]
        rows = tuple(_row(source) for source in chosen)
        sheet = Sheet(self.title, _HEADS, rows, (_NOTE, *origins(tuple(chosen))))
        return Product(self.name, self.title, (sheet,))


def _row(source: PublishedSet) -> tuple[str, ...]:
    pairs = zip(_told(HERE[source.id]), _told(RECORDS[source.id]), strict=True)
    told = [ours if ours == said else f"{ours} ({said})" for ours, said in pairs]
    return (source.title, *told, source.here)


def _told(record: Record) -> list[str]:
    every = "2, 3, 4"  # Of r = 1, 2 and 3.
    return [
        str(record.bags),
        str(record.instances),
        str(record.largest),
        str(record.smallest),
        f"{record.mean:.2f}",
        str(record.features),
        str(record.classes),
        every if record.candidates == "r + 1" else record.candidates.split()[-1],
    ]


TABLE = DataSets()
