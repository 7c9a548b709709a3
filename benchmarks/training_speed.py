"""Speed of training and prediction, beside the published way, in one run.

    python -m benchmarks.training_speed [--epochs 10] [--splits 3] [--data ...]

For each data set and split the published way and ours are trained in turns, three times
each for the same number of epochs, which is enough to tell the time of an epoch; the
least time of each counts, since other work on the machine only adds to it. The ten
splits are then trained on two cores, as users run them, in turns as well: ours for all
100 epochs, in two processes that each train their splits together; the published way in
two processes for the epochs given, of which the rest is told by its time per epoch.
Both use the number of threads that is fastest for them, and one in each of several
processes.
Writes results/training_speed.csv, one data set after another.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import published_way
from benchmarks.record import RESULTS, append, load
from mipl import MIPLMA, Dataset, PerInstance, fit_together, load_dataset, method

FILE = RESULTS / "training_speed.csv"
DATA = ("sival-mipl", "birdsong-mipl", "mnist-mipl")
TOGETHER = ("sival-mipl", "birdsong-mipl")  # Convolutions are trained one by one.
EPOCHS = 100
CORES = 2
TURNS = 3
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


def ours(epochs: int, threads: int = 1) -> MIPLMA:
    return MIPLMA(random_state=0).set_params(
        training__epochs=epochs, training__threads=threads
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def best_threads(data: str, way: str, train_few: Callable[[int], Any]) -> int:
    """Return the number of threads with which a way of training is fastest.

    Afterwards it is not timed as it loads what it needs.
    """
    seconds = dict.fromkeys(range(1, CORES + 1), np.inf)
    for threads in [*seconds] * 3:
        torch.set_num_threads(threads)
        found, _ = timed(partial(train_few, threads))
        seconds[threads] = min(found, seconds[threads])
        print(f"{data}: {way}, {threads} threads: {found:.2f} s", flush=True)
    return min(seconds, key=lambda threads: seconds[threads])


def both_threads(data: str) -> tuple[int, int]:
    """Return the best numbers of threads of the published way and of ours."""
    train = parts_of(data, 0)[0]
    few = train[np.arange(min(FEW, len(train)))]
    published = best_threads(
        data, "the published way", lambda _: train_published(data, few, 1)
    )
    our = best_threads(
        data, "ours", lambda threads: ours(1, threads).fit(few.bags, few.candidates)
    )
    return published, our


def one_turn(
    data: str, train: Dataset, test: Dataset, epochs: int, threads: tuple[int, int]
) -> list[float]:
    """Train and predict in both ways; return the seconds of each."""
    torch.set_num_threads(threads[0])
    slow, (network, tau) = timed(lambda: train_published(data, train, epochs))
    slow_test, _ = timed(lambda: published_way.predict(network, tau, test))
    model = ours(epochs, threads[1])
    fast, _ = timed(lambda: model.fit(train.bags, train.candidates))
    fast_test, _ = timed(lambda: model.predict(test.bags))
    return [slow, fast, slow_test, fast_test]


def one_run(
    data: str, split: int, epochs: int, threads: tuple[int, int]
) -> dict[str, float]:
    """Take turns; return the speeds of the fastest of each."""
    train, test = parts_of(data, split)
    turns = [one_turn(data, train, test, epochs, threads) for _ in range(TURNS)]
    slow, fast, slow_test, fast_test = np.min(turns, axis=0)
    bags = len(train) * epochs
    return {
        "published ms per bag": slow / bags * 1e3,
        "our ms per bag": fast / bags * 1e3,
        "published bags per s": len(test) / slow_test,
        "our bags per s": len(test) / fast_test,
    }


def per_run(data: str, splits: int, epochs: int) -> list[dict[str, Any]]:
    """Return the rows of training and of prediction of one data set."""
    threads = both_threads(data)
    found = []
    for split in range(splits):
        found.append(one_run(data, split, epochs, threads))
        told = (f"{name} {value:.3f}" for name, value in found[-1].items())
        print(f"{data}, split {split}: {', '.join(told)}", flush=True)
    mean = {name: np.mean([one[name] for one in found]) for name in found[0]}
    facts = {"data": data, "epochs": epochs, "splits": splits}
    slow, fast = mean["published ms per bag"], mean["our ms per bag"]
    training = row(facts, "training, ms per bag", slow, fast, slow / fast)
    slow, fast = mean["published bags per s"], mean["our bags per s"]
    predicting = row(facts, "prediction, bags per s", slow, fast, fast / slow)
    return [training, predicting]


def publish_splits(data: str, splits: list[int], epochs: int) -> float:
    torch.set_num_threads(1)
    trains = [parts_of(data, split)[0] for split in splits]

    def train_all() -> None:
        for train in trains:
            train_published(data, train, epochs)

    return timed(train_all)[0]


def our_splits(data: str, splits: list[int], epochs: int) -> float:
    dataset = load_dataset(data, r=1)
    trains = [dataset.split(split)[0] for split in splits]
    problems = [(train.bags, train.candidates) for train in trains]
    return timed(lambda: fit_together([ours(epochs) for _ in splits], problems))[0]


def ten_splits(data: str, epochs: int) -> dict[str, Any]:
    """Return the row of ten splits on two cores, the starts of processes included."""
    spawn = multiprocessing.get_context("spawn")
    halves = [list(range(first, 10, CORES)) for first in range(CORES)]

    def run(work: Callable[[str, list[int], int], float], epochs: int) -> list[float]:
        with ProcessPoolExecutor(CORES, mp_context=spawn) as pool:
            return list(pool.map(work, [data] * CORES, halves, [epochs] * CORES))

    slow = fast = np.inf
    for _ in range(TURNS):
        found, training = timed(lambda: run(publish_splits, epochs))
        slow = min(slow, found + max(training) * (EPOCHS / epochs - 1))
        found, _ = timed(lambda: run(our_splits, EPOCHS))
        fast = min(fast, found)
    facts = {"data": data, "epochs": EPOCHS, "splits": 10}
    return row(facts, "ten splits on two cores, s", slow, fast, slow / fast)


def row(
    facts: dict[str, Any],
    work: str,
    published: float,
    our: float,
    ratio: float,
) -> dict[str, Any]:
    return {
        **facts,
        "work": work,
        "published": f"{published:.3f}",
        "ours": f"{our:.3f}",
        "ratio": f"{ratio:.1f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--splits", type=int, default=3)
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # Of the processes started here.
    for data in given.data:
        rows = per_run(data, given.splits, given.epochs)
        if data in TOGETHER:
            rows.append(ten_splits(data, given.epochs))
        print(*rows, sep="\n", flush=True)
        others = [row for row in load(FILE) if row["data"] != data]
        FILE.unlink(missing_ok=True)
        for each in [*others, *rows]:
            append(FILE, each)


if __name__ == "__main__":
    main()
