"""How many bags are enough to learn the prior of MIPLGP on: a study.

    python -m tools.prior_bags few --data birdsong-mipl --store prior.db
    python -m tools.prior_bags many --store prior.db
    python -m tools.prior_bags every --known --store prior.db

Its kernel is learnt exactly on some random training bags, whose covariance takes the
cube of their instances; then all instances are regressed on. Beside the accuracy on the
test bags stand the length and scale that the kernel has reached, and the approximated
accuracy on the training bags by their candidates, which anybody can have. ``few``: 5 to
40 bags; ``many``: 80, which take as long as all the others. Split 0 at r = 1.
"""

from __future__ import annotations

from mipl import Dataset
from mipl.methods.bases.base import BagClassifier
from mipl.runs.run import Run
from mipl.selection import approximated_accuracy
from tools.study import study

SIZES = {"birdsong-mipl": 37, "sival-mipl": 32}  # Instances of a bag, on average.
FEW = (5, 10, 20, 40)
MANY = (80,)
_TOLD = ("length", "scale", "train_approximated_accuracy")


def few() -> list[Run]:
    """Return the runs that are soon done."""
    return _runs(FEW)


def many() -> list[Run]:
    """Return the runs that take long."""
    return _runs(MANY)


def every() -> list[Run]:
    """Return all runs."""
    return _runs(FEW + MANY)


def _runs(numbers: tuple[int, ...]) -> list[Run]:
    return [
        Run("miplgp", data, {"published": True, "exact_up_to": n * size})
        for data, size in SIZES.items()
        for n in numbers
    ]


def figures(
    model: BagClassifier, train: Dataset, test: Dataset
) -> dict[str, float | None]:
    """Return what the prior has become, and what training candidates tell of it."""
    last = model.history_[-1]
    known = approximated_accuracy(model, train.bags, train.candidates)
    return {
        "length": last["length"],
        "scale": last["scale"],
        "train_approximated_accuracy": known,
    }


def main() -> None:
    _, results = study(__doc__, {f.__name__: f for f in (few, many, every)}, figures)
    for one in results:
        told = " ".join(f"{name} {one.figures[name]:.3f}" for name in _TOLD)
        print(one.run.data, one.run.arguments["exact_up_to"], told)


if __name__ == "__main__":
    main()
