"""Damaged files of every format: refused, equal or other; nothing else may happen."""

import json
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image
from tests.attacks.test_damaged_files import damaged, forest
from tests.io.toy import without_hashes

import mipl
from mipl import Checkpoint, Dataset, MiplError, Training, read_dataset, write_dataset
from mipl.images.pixels import read_pixels
from mipl.io.split_files import read_split_files
from mipl.runs.folder import open_model
from mipl.runs.result import Result
from mipl.runs.results_csv import as_csv, read_csv
from mipl.runs.run import Run
from mipl.runs.run_settings import read_tables, run_toml
from mipl.runs.store import Store
from mipl.testing.checks.problem import make_problem
from mipl.training.sealed import unseal

TOKENS = (
    b"",
    b"\x00" * 8,
    b"\xff" * 8,
    b"9" * 5000,
    b"[" * 3000,
    b"nan",
    b"-1",
    b'"',
    b"\r\n",
    b"=1+1",
    b"\xc3\x28",
    b"1e999",
)


def whole(data: Dataset) -> object:
    """What a data set says, for comparison."""
    bags = data.bags.load()
    labels = None if data.labels is None else data.labels.tolist()
    sets = data.candidates.matrix.tolist(), data.classes.tolist()
    return bags.instances.tolist(), bags.offsets.tolist(), sets, labels


def results(path: Path) -> object:
    return [one.as_dict() for one in Store(path).results()]


def a_data_set(name: str):
    def make(folder: Path) -> Path:
        options = {"version": "7.3"} if "73" in name else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write_dataset(forest(), folder / name, **options)
        return folder / name

    return make, lambda path: whole(read_dataset(path))


def an_old_table(folder: Path) -> Path:
    write_dataset(forest(), folder / "t.csv")
    return without_hashes(folder / "t.csv")


def a_checkpoint(folder: Path) -> Path:
    problem, path = make_problem(), folder / "a.checkpoint"
    model = mipl.MIPLMA(training=Training(epochs=2), random_state=0)
    model.fit(problem.bags, problem.y, checkpoint=Checkpoint(path, every=1))
    return path


def a_model(folder: Path) -> Path:
    problem = make_problem()
    model = mipl.MIPLMA(training=Training(epochs=1), random_state=0)
    model.fit(problem.bags, problem.y).save(folder / "model")
    return folder / "model"


def said_by(path: Path) -> object:
    return open_model(path).model.predict_proba(make_problem().bags).tolist()


def a_store(folder: Path) -> Path:
    store = Store(folder / "results.db", create=True)
    for split in range(5):
        run = Run("miplma", "digits-mipl", {"lam": 1.5}, split=split)
        store.record(Result(run, "finished", 0.5, 1.0), {"loss": [1.0]})
    return store.path


def a_table_of_results(folder: Path) -> Path:
    runs = [Run("miplma", "digits-mipl", {"lam": 1.5}, split=s) for s in range(3)]
    text = as_csv([Result(run, "finished", 0.5, 1.0) for run in runs])
    (folder / "a.csv").write_text(text)
    return folder / "a.csv"


def settings_of_a_run(folder: Path) -> Path:
    path = folder / "run.toml"
    path.write_text(run_toml(Run("miplma", "digits-mipl", {"lam": 2.0}, split=1)))
    return path


def a_picture(folder: Path) -> Path:
    Image.effect_noise((40, 30), 9).save(folder / "a.png")
    return folder / "a.png"


def splits(folder: Path) -> Path:
    folds = [{"train": [0, 1], "test": [2]}, {"train": [2], "test": [0, 1]}]
    (folder / "splits.json").write_text(json.dumps(folds))
    return folder / "splits.json"


def of_splits(path: Path) -> object:
    bags = mipl.Bags(np.zeros((3, 1)))
    return [(s.train.tolist(), s.test.tolist()) for s in read_split_files(path, bags)]


FORMATS = {
    "csv": a_data_set("t.csv"),
    "csv without hashes": (an_old_table, lambda path: whole(read_dataset(path))),
    "parquet": a_data_set("t.parquet"),
    "npz": a_data_set("t.npz"),
    "bags.h5": a_data_set("t.bags.h5"),
    "mat 5": a_data_set("t.mat"),
    "mat 7.3": a_data_set("t73.mat"),
    "folder": a_data_set("folder"),
    "model": (a_model, said_by),
    "checkpoint": (a_checkpoint, lambda path: unseal(path, path.read_bytes())[1]),
    "results.db": (a_store, results),
    "results.csv": (a_table_of_results, lambda p: [r.as_dict() for r in read_csv(p)]),
    "run.toml": (settings_of_a_run, read_tables),
    "splits.json": (splits, of_splits),
    "png": (a_picture, lambda path: read_pixels(path).tolist()),
}


def mutant(content: bytes, rng: np.random.Generator) -> bytes:
    """Damage bytes, cut, repeat, exchange pieces, or put in what readers trip over."""
    kind = rng.integers(6)
    first, last = sorted(rng.integers(0, len(content) + 1, 2).tolist())
    if kind < 2:
        return damaged(content, rng)
    if kind == 2:
        return content[:last]
    if kind == 3:
        return content[:first] + content[last:]
    if kind == 4:
        return content[:last] + content[first:]
    return content[:first] + TOKENS[rng.integers(len(TOKENS))] + content[first:]


def piece(name: str, seed: int, folder: Path, count: int = 100) -> Counter[str]:
    """Read so many mutants of a format; say what became of them."""
    make, read = FORMATS[name]
    path = make(folder)
    wanted, rng = read(path), np.random.default_rng(seed)
    files = [f for f in sorted(path.parent.rglob("*")) if f.is_file()]
    found: Counter[str] = Counter()
    for number in range(count):
        file = files[number % len(files)]
        content = file.read_bytes()
        file.write_bytes(mutant(content, rng) if content else b"x")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same = read(path) == wanted
            found["equal" if same else "accepted and differs"] += 1
        except MiplError as error:
            long = len(str(error)) > 2000 or "\n" in str(error)
            found["refused, badly told" if long else "refused"] += 1
        except Exception as error:
            found[f"traceback: {type(error).__name__}: {str(error)[:60]}"] += 1
        file.write_bytes(content)
    return found
