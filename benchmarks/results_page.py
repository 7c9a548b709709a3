"""Write docs/results.md from the results that are committed, or from a store.

    python -m benchmarks.results_page
    python -m benchmarks.results_page --store results.db

Without a store the tables of results/ are read. No run is computed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.record import RESULTS
from mipl.files import write_text
from mipl.paper.artefact_selection import Selection
from mipl.paper.index import ARTEFACTS
from mipl.reports.results_page import results_page
from mipl.runs.results_csv import import_file
from mipl.runs.store import Store

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
TABLES = ("runs.csv", "accuracies.csv", "partial_labels.csv", "multi_instance.csv")
COMMAND = "make results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", type=Path, help="a store instead of the tables")
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(given.store or Path(folder, "results.db"), create=not given.store)
        if given.store is None:
            for name in TABLES:
                if (RESULTS / name).is_file():
                    import_file(RESULTS / name, store)
        page = results_page(store, list(ARTEFACTS.values()), Selection(), COMMAND)
    write_text(given.out, page)
    print(f"written: {given.out}")


if __name__ == "__main__":
    main()
