"""Speed of training and prediction, beside the published way, in one run.

    python -m benchmarks.training_speed [--epochs 100] [--splits 3] [--data ...]

For each data set and split the published way and ours are trained one after the other,
for the same number of epochs; then the ten splits are trained on two cores, as users
run them: the published way in two processes, ours in two processes that each train
their splits together. Writes results/training_speed.csv. The published way uses the
number of threads that is fastest for it; ours uses one. ``--epochs 3 --splits 1`` is
over in a few minutes and tells the speed, but no accuracy.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import torch

from benchmarks import published_way
from benchmarks.record import RESULTS, append
from mipl import MIPLMA, Dataset, PerInstance, fit_together, load_dataset, method

FILE = RESULTS / "training_speed.csv"
DATA = ("sival-mipl", "birdsong-mipl", "mnist-mipl")
CORES = 2
FEW = 200  # Bags that tell which number of threads is best.


def parts_of(data: str, split: int) -> tuple[Dataset, Dataset]:
    """Return training and test bags, scaled beforehand for the published way."""
    parts = load_dataset(data, r=1).split(split)
    if parts[0].bags.instance_shape is not None:
        return parts
    scaler = PerInstance().fit(parts[0].bags)
    train, test = (
        Dataset(scaler.transform(part.bags), part.candidates, labels=part.labels)
        for part in parts
    )
    return train, test


def train_published(data: str, train: Dataset, epochs: int) -> Any:
    model = method("miplma-released", published_for=data, r=1)
    settings = published_way.Settings(
        model.training.lr, model.lam, model.width, model.tau_min
    )
    return published_way.train(train, settings, epochs, seed=0)


def ours(epochs: int) -> MIPLMA:
    return MIPLMA(random_state=0).set_params(training__epochs=epochs)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def best_threads(data: str) -> int:
    """Return the number of threads with which the published way is fastest."""
    train = parts_of(data, 0)[0]
    few = train[np.arange(min(FEW, len(train)))]
    seconds = dict.fromkeys(range(1, CORES + 1), np.inf)
    for threads in [*seconds] * 3:
        torch.set_num_threads(threads)
        found, _ = timed(lambda: train_published(data, few, 1))
        seconds[threads] = min(found, seconds[threads])
    for threads, found in seconds.items():
        each = found / len(few) * 1e3
        print(f"{data}: the published way, {threads} threads: {each:.2f} ms per bag")
    return min(seconds, key=lambda threads: seconds[threads])


def one_run(data: str, split: int, epochs: int, threads: int) -> dict[str, float]:
    """Train and predict in both ways; return seconds and accuracies."""
    train, test = parts_of(data, split)
    torch.set_num_threads(threads)
    slow, (network, tau) = timed(lambda: train_published(data, train, epochs))
    slow_test, numbers = timed(lambda: published_way.predict(network, tau, test))
    torch.set_num_threads(1)
    fast, model = timed(lambda: ours(epochs).fit(train.bags, train.candidates))
    fast_test, names = timed(lambda: model.predict(test.bags))
    bags = len(train) * epochs
    return {
        "published ms per bag": slow / bags * 1e3,
        "our ms per bag": fast / bags * 1e3,
        "published bags per s": len(test) / slow_test,
        "our bags per s": len(test) / fast_test,
        "published accuracy": float((test.classes[numbers] == test.labels).mean()),
        "our accuracy": float((names == test.labels).mean()),
    }


def per_run(data: str, splits: int, epochs: int) -> list[dict[str, Any]]:
    """Return the rows of training and of prediction of one data set."""
    threads = best_threads(data)
    found = []
    for split in range(splits):
        found.append(one_run(data, split, epochs, threads))
        told = (f"{name} {value:.3f}" for name, value in found[-1].items())
        print(f"{data}, split {split}: {', '.join(told)}", flush=True)
    mean = {name: np.mean([one[name] for one in found]) for name in found[0]}
    facts = {"data": data, "epochs": epochs, "splits": splits}
    accuracies = [mean["published accuracy"], mean["our accuracy"]]
    slow, fast = mean["published ms per bag"], mean["our ms per bag"]
    training = row(facts, "training, ms per bag", slow, fast, slow / fast, accuracies)
    slow, fast = mean["published bags per s"], mean["our bags per s"]
    predicting = row(facts, "prediction, bags per s", slow, fast, fast / slow)
    return [training, predicting]


def publish_splits(data: str, splits: list[int], epochs: int) -> None:
    torch.set_num_threads(1)
    for split in splits:
        train_published(data, parts_of(data, split)[0], epochs)


def our_splits(data: str, splits: list[int], epochs: int) -> None:
    trains = [parts_of(data, split)[0] for split in splits]
    problems = [(train.bags, train.candidates) for train in trains]
    fit_together([ours(epochs) for _ in splits], problems)


def ten_splits(data: str, epochs: int) -> dict[str, Any]:
    """Return the row of ten splits on two cores, the starts of processes included."""
    spawn = multiprocessing.get_context("spawn")
    halves = [list(range(first, 10, CORES)) for first in range(CORES)]

    def run(work: Callable[[str, list[int], int], None]) -> None:
        with ProcessPoolExecutor(CORES, mp_context=spawn) as pool:
            list(pool.map(work, [data] * CORES, halves, [epochs] * CORES))

    slow, fast = (
        timed(lambda: run(publish_splits))[0],
        timed(lambda: run(our_splits))[0],
    )
    facts = {"data": data, "epochs": epochs, "splits": 10}
    return row(facts, "ten splits on two cores, s", slow, fast, slow / fast)


def row(
    facts: dict[str, Any],
    work: str,
    published: float,
    our: float,
    ratio: float,
    accuracies: list[float] | None = None,
) -> dict[str, Any]:
    both = ["", ""] if accuracies is None else [f"{a:.3f}" for a in accuracies]
    return {
        **facts,
        "work": work,
        "published": f"{published:.3f}",
        "ours": f"{our:.3f}",
        "ratio": f"{ratio:.1f}",
        "published_accuracy": both[0],
        "our_accuracy": both[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--splits", type=int, default=3, help="for the accuracies")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # Of the processes started here.
    rows = []
    for data in given.data:
        rows += per_run(data, given.splits, given.epochs)
        rows.append(ten_splits(data, given.epochs))
        print(*rows[-3:], sep="\n", flush=True)
    FILE.unlink(missing_ok=True)
    for each in rows:
        append(FILE, each)


if __name__ == "__main__":
    main()
