"""What inducing points cost MIPLGP: the exact regression beside it.

    python -m tools.inducing --data sival-mipl birdsong-mipl --r 1

The prior is learnt by MIPLGP, exactly, on a few training bags of split 0. With it all
training instances are regressed on once: exactly, by conjugate gradients on the whole
covariance (float32, 2 N^2 bytes), and through inducing points. What is told is the
accuracy of the posterior means on the test bags, which is no run of the method: its own
answer counts variances too. ``scaling="auto"`` makes two instances one length apart,
``"standard"`` leaves z-scores, which are sqrt(2 d) apart. Prints rows as those of
results/inducing.csv.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mipl import load_dataset, method
from mipl.nn.gp import (
    ClasswiseGP,
    ConjugateRegression,
    Observations,
    RegressionSummary,
    SparseRegression,
)
from mipl.nn.inducing import inducing_points
from mipl.nn.segments import Segments
from mipl.objectives import lognormal, with_negative
from tools.study import RESULTS

FILE = RESULTS / "inducing.csv"
COLUMNS = ["data", "r", "scaling", "points", "length", "accuracy"]
SCALINGS = ("auto", "standard")
POINTS = ("200", "400", "exact")
_BAGS = 10  # That the prior is learnt on.
_PRECONDITION = 200  # Points.
_GIGABYTES = 3.0
_ROWS = 256  # Predicted at once.


def exact_mean(gp: ClasswiseGP, seen: Observations, at: Tensor) -> Tensor:
    """Return the posterior means at some rows, (n, C), by conjugate gradients."""
    points = torch.from_numpy(inducing_points(seen.x.numpy(), _PRECONDITION, seed=0))
    blank = ConjugateRegression.blank(seen.targets.shape[1], len(seen.x), at.device)
    regression = ConjugateRegression(gp, seen, points, _GIGABYTES, blank)
    while not regression.done():
        regression.iterate()
    return means(gp, regression.summary(variances=False), at)


def sparse_mean(gp: ClasswiseGP, seen: Observations, at: Tensor, n: int) -> Tensor:
    """Return the posterior means at some rows, (n, C), through inducing points."""
    points = torch.from_numpy(inducing_points(seen.x.numpy(), n, seed=0))
    regression = SparseRegression(gp, seen.x, seen.noise, points)
    return means(gp, regression.summary(seen.targets, variances=False), at)


def means(gp: ClasswiseGP, summary: RegressionSummary, at: Tensor) -> Tensor:
    """Return the posterior means at some rows, (n, C)."""
    return torch.cat([summary.means(gp, rows) for rows in torch.split(at, _ROWS)])


def rows(data: str, r: int, scaling: str) -> Iterator[dict[str, Any]]:
    """Give the row of each number of points, on one data set with one scaling."""
    train, test = load_dataset(data, r).split(0)
    few = train[np.random.default_rng(0).permutation(len(train))[:_BAGS]]
    model = method("miplgp", published_for=data, r=r, random_state=0)
    model.set_params(scaling=scaling).fit(few.bags, few.candidates)
    x, at = (
        torch.tensor((part.bags.instances - model.shift_) / model.scale_)
        for part in (train, test)
    )
    sets = train.candidates
    matrix, w = (torch.tensor(a) for a in (sets.matrix, sets.initial_weights()))
    _, w = with_negative(matrix, w, Segments.of(torch.tensor(train.bags.sizes)))
    y, variances = lognormal(w + model.epsilon)
    seen = Observations(x, y, variances + model.gp_.noise.detach())
    length = f"{float(model.gp_.length.detach()):.3f}"
    for points in POINTS:
        with torch.no_grad():
            if points == "exact":
                mean = exact_mean(model.gp_, seen, at)
            else:
                mean = sparse_mean(model.gp_, seen, at, int(points))
        theta = mean[:, :-1].softmax(dim=1).numpy()
        top = np.maximum.reduceat(theta, test.bags.offsets[:-1])  # (m, k)
        found = np.asarray(train.classes)[top.argmax(axis=1)]
        accuracy = float((found == np.asarray(test.labels)).mean())
        values = (data, r, scaling, points, length, f"{accuracy:.4f}")
        yield dict(zip(COLUMNS, values, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", required=True)
    parser.add_argument("--r", nargs="+", type=int, default=[1])
    parser.add_argument("--scaling", nargs="+", choices=SCALINGS, default=SCALINGS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    for cell in itertools.product(given.data, given.r, given.scaling):
        for row in rows(*cell):
            writer.writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
