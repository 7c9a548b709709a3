"""Images as principal components: what MIPLMA scores without convolutions.

    python -m tools.image_components --data fmnist-mipl --r 3

Each split is fitted by the defaults and by the thorough form on the first components of
its training instances. Adds its rows to results/image_components.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable
from typing import Any

from mipl import MIPLMA, fit_together, load_dataset
from tools.study import RESULTS
from tools.wrong_weights import components

FILE = RESULTS / "image_components.csv"
FORMS = {"defaults": MIPLMA, "thorough": MIPLMA.thorough}


def rows(
    data: str, r: int, splits: Iterable[int], form: str, n: int
) -> Iterable[dict[str, Any]]:
    """Fit all splits together; tell the accuracy of each, and its share of seconds."""
    whole = load_dataset(data, r=r)
    parts = [components(*whole.split(split), n) for split in splits]
    models = [FORMS[form](random_state=0) for _ in parts]
    begun = time.process_time()
    fit_together(models, [(train.bags, train.candidates) for train, _ in parts])
    seconds = (time.process_time() - begun) / len(parts)
    for split, model, (_, test) in zip(splits, models, parts, strict=True):
        yield {
            "data": data,
            "r": r,
            "form": form,
            "components": n,
            "split": split,
            "accuracy": round(float(model.score(test.bags, test.labels)), 4),
            "seconds": round(seconds, 2),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=["fmnist-mipl", "mnist-mipl"])
    parser.add_argument("--r", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--splits", nargs="+", type=int, default=list(range(10)))
    parser.add_argument("--form", choices=FORMS, default="defaults")
    parser.add_argument("--components", type=int, default=64)
    given = parser.parse_args()
    for data in given.data:
        for r in given.r:
            found = [*rows(data, r, given.splits, given.form, given.components)]
            new = not FILE.exists()
            with FILE.open("a", newline="") as handle:
                writer = csv.DictWriter(handle, list(found[0]), lineterminator="\n")
                if new:
                    writer.writeheader()
                writer.writerows(found)
            print(f"{data} r={r} is told.", flush=True)


if __name__ == "__main__":
    main()
