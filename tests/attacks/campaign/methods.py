"""Fits of every method: the same bits again, kills, and bad input."""

import hashlib
import os
import random
import signal
import warnings
from collections import Counter
from pathlib import Path
from time import monotonic

import numpy as np
from tests.crash.runs import PROCESSES

import mipl
from mipl import Checkpoint, MiplError
from mipl.methods.catalogue.registry import method, methods
from mipl.parameters import Integer, parameters
from mipl.testing.checks.problem import make_problem, problem_for

IDS = [row.id for row in methods() if not row.fault]
TRIES = 4  # Fits begun for each that is to be killed: some are done before.
WRONG = (-1, 0, 10**30, float("nan"), float("inf"), "x", None, [], {}, b"a", object())


def short(id: str, threads: int = 1, **more):
    """Return a method with few epochs, and bags that it can learn from."""
    model = method(id, **more)
    names = model.get_params()
    if "random_state" in names:
        model.set_params(random_state=0)
    quick = {"training__epochs": 4, "training__threads": threads, "max_iter": 3}
    quick |= {"estimator__max_iter": 3, "estimator__iterations": 3, "iterations": 3}
    if names.get("training", 0) is None:
        model.set_params(training=mipl.Training(epochs=4, threads=threads))
    model.set_params(**{n: v for n, v in quick.items() if n in names})
    problem = problem_for(model)
    if hasattr(model, "partial") or not hasattr(model, "attend"):
        flat = make_problem(sizes=(1,))
        try:
            model.fit(problem.bags, problem.y)
        except MiplError:
            return model, flat
    return model, problem


def bits(model, problem) -> str:
    return hashlib.sha256(model.predict_proba(problem.bags).tobytes()).hexdigest()


def same_bits(id: str, seed: int, folder: Path, count: int = 4) -> Counter[str]:
    """Fit so many times; every time must end in the same bits."""
    model, problem = short(id, threads=1 + seed % 2)
    said = set()
    for turn in range(count):
        random.seed(turn)
        np.random.seed(turn)
        said.add(bits(model.fit(problem.bags, problem.y), problem))
    return Counter({"same" if len(said) == 1 else "DIFFERENT": count})


def fit_into(id: str, path: Path, result: Path) -> None:
    model, problem = short(id)
    model.fit(problem.bags, problem.y, checkpoint=Checkpoint(path, every=1))
    result.write_text(bits(model, problem))


def kills(id: str, seed: int, folder: Path, count: int = 3) -> Counter[str]:
    """Kill a fit so many times and let it end: with the bits of an unbroken one."""
    result, chance = folder / "r", random.Random(seed)
    try:
        fit_into(id, folder / "first", result)
    except (MiplError, TypeError):
        return Counter({f"{id} keeps no checkpoints": 1})
    wanted, found, turn = result.read_text(), Counter[str](), 0
    for name in ("with the server of processes", "alone"):
        start = monotonic()
        fitting(id, folder / name, result).join()
        whole = monotonic() - start
    for _ in range(TRIES * count):
        process = fitting(id, folder / f"turn {turn}", result)
        process.join(whole * chance.random())
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        found["kills"] += process.exitcode == -signal.SIGKILL
        turn += process.exitcode == 0  # Done before it was killed: another one.
        if found["kills"] == count:
            break
    fitting(id, folder / f"turn {turn}", result).join()
    same = result.exists() and result.read_text() == wanted
    found["same bits" if same else "DIFFERENT BITS"] += 1
    return found


def fitting(id: str, path: Path, result: Path):
    """Begin a fit, or go on with it, in a process that can be killed."""
    result.unlink(missing_ok=True)
    process = PROCESSES.Process(target=fit_into, args=(id, path, result))
    process.start()
    return process


def bad_arguments(id: str, seed: int, folder: Path, count: int = 0) -> Counter[str]:
    """Give every declared argument values that it may not have."""
    found: Counter[str] = Counter()
    model, problem = short(id)
    for name, declared in parameters(type(model)).items():
        for value in WRONG if isinstance(declared, Integer) else WRONG[3:8]:
            if value is None and name == "training":
                continue  # All the epochs of its default.
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    other = type(model)(**{**model.get_params(deep=False), name: value})
                    other.fit(problem.bags, problem.y).predict(problem.bags)
                found["works"] += 1
            except MiplError as error:
                found["refused" if "\n" not in str(error) else "badly told"] += 1
            except Exception as error:
                what = f"{type(error).__name__}: {str(error)[:60]}"
                given = f"{id}({name}={value!r})"
                found[f"traceback of {given}: {what}"] += 1
    return found


def bad_data() -> dict[str, object]:
    x = np.ones((2, 3), np.float32)
    return {
        "nan": [x * np.nan, x],
        "infinite": [x * np.inf, x],
        "largest": [x * 3e38, x],
        "tiny": [x * 1e-45, x],
        "empty bag": [x[:0], x],
        "no bags": [],
        "no features": [x[:, :0], x[:, :0]],
        "widths": [x, x[:, :2]],
        "objects": np.array([[None, 1], [2, 3]], dtype=object),
        "complex": x * 1j,
        "text": [["a", "b"], ["c", "d"]],
        "ragged": [[1, 2], [3]],
        "number": 3,
        "none": None,
        "mapping": {"a": 1},
        "bytes": b"abc",
        "constant": [np.zeros((2, 3)), np.zeros((1, 3))],
        "one bag": [x],
        "deep": np.ones((2, 2, 2, 2)),
    }


def bad_bags(id: str, seed: int, folder: Path, count: int = 0) -> Counter[str]:
    """Give a method bags and sets that are none."""
    found: Counter[str] = Counter()
    model, _ = short(id)
    sets = ([{0, 1}, {1}], [set(), {1}], [0, np.nan], None, [[]], "ab", [{0}])
    for what, bags in bad_data().items():
        for y in sets:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    p = model.fit(bags, y).predict_proba(bags)
                found["works" if np.isfinite(p).all() else f"NaN of {id}: {what}"] += 1
            except MiplError as error:
                found["refused" if "\n" not in str(error) else "badly told"] += 1
            except Exception as error:
                found[f"traceback of {id}, {what}, {y}: {type(error).__name__}"] += 1
    return found
