"""``mipl fit``: train a method and keep what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mipl.cli.fit_options import (
    Calibrate,
    CheckpointEvery,
    Config,
    Data,
    Everything,
    Method,
    Out,
    Resume,
    Seed,
    Settings,
)
from mipl.cli.model_options import DataSeed, Fold
from mipl.cli.options import FalseLabels, Json, PublishedSettings, Raw
from mipl.cli.output import pairs, say, show, show_json, title

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.methods.bases.base import BagClassifier
    from mipl.runs.config import RunConfig
    from mipl.training import Checkpoint


def fit(
    context: typer.Context,
    out: Out,
    data: Data = None,
    method: Method = None,
    published: PublishedSettings = False,
    config: Config = None,
    seed: Seed = None,
    settings: Settings = None,
    split: Fold = None,
    everything: Everything = False,
    calibrate: Calibrate = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Train a method on a data set; write the model, run.toml and the bags used.

    In many processes: torchrun --nproc-per-node 2 -m mipl.cli.main fit DATA --out RUN
    """
    from mipl.cli.resuming import checkpoint_of, stoppable
    from mipl.errors import MiplError
    from mipl.runs.config import read_config, run_config
    from mipl.training.distributed import process_rank

    if everything and split is not None:
        raise MiplError("--split and --all exclude each other; give one.")
    file = {} if config is None else read_config(config)
    if everything:
        file.pop("split", None)
    given = {
        "data": data,
        "method": method,
        "published": published or None,
        "seed": seed,
        "split": split,
        "calibrate": calibrate,
        "r": r,
        "data_seed": data_seed,
        "raw": None if raw is None else str(raw),
    }
    run = run_config(file, given, settings or [])
    checkpoint = checkpoint_of(out, checkpoint_every, resume)
    if process_rank() > 0:
        _fit(run, checkpoint, first=False)
        return
    with stoppable(context, checkpoint.path):
        told = _run(run, out, checkpoint)
    checkpoint.path.unlink(missing_ok=True)
    if as_json:
        show_json(told)
    else:
        _show(told)


@dataclass(frozen=True, eq=False)
class _Fitted:
    model: BagClassifier
    data: Dataset
    train: Dataset
    held: Dataset | None
    test: Dataset | None
    seconds: float


def _fit(config: RunConfig, checkpoint: Checkpoint, first: bool) -> _Fitted:
    """Read the data and train; only the first of several processes shows a bar."""
    from time import perf_counter

    from mipl.cli.progress import EpochBar
    from mipl.cli.resuming import kept_by

    model = config.estimator()
    data = config.source().dataset()
    train, test = (data, None) if config.split is None else data.split(config.split)
    train, held = _held_out(train, config)
    check_vectors(model, train, config)
    if first and hasattr(model, "set_callbacks"):
        model.set_callbacks(EpochBar())
    start = perf_counter()
    model.fit(train.bags, train.candidates, **kept_by(model, checkpoint))
    return _Fitted(model, data, train, held, test, perf_counter() - start)


def _run(config: RunConfig, out: Path, checkpoint: Checkpoint) -> dict[str, Any]:
    from mipl.runs.evaluation import evaluate
    from mipl.runs.folder import MODEL, as_figures, fill_run, new_run
    from mipl.runs.trained_on import TrainedOn

    with new_run(out) as place:
        done = _fit(config, checkpoint, first=True)
        model, data, train, held = done.model, done.data, done.train, done.held
        if held is not None:
            model.calibrate(held.bags, candidates=held.candidates)
        measured = None if done.test is None else evaluate(model, done.test).as_dict()
        trained = TrainedOn.of(data, config.split)
        fill_run(place, model, config, trained, train, as_figures(measured or {}))
    return {
        "folder": str(out),
        "model": str(out / MODEL),
        "method": config.method,
        "data": config.data,
        "split": config.split,
        "bags": len(data),
        "trained_on": len(train),
        "calibrated_on": 0 if held is None else len(held),
        "seconds": done.seconds,
        "last_epoch": _last_epoch(model),
        "test": measured,
    }


def check_vectors(model: BagClassifier, train: Dataset, config: RunConfig) -> None:
    """Tell what to add where a method of vectors meets bags."""
    from mipl.errors import MiplError
    from mipl.methods.bases.partial import PartialLabelClassifier

    most = int(train.bags.sizes.max())
    if isinstance(model, PartialLabelClassifier) and most > 1:
        raise MiplError(
            f"{config.method} learns from one vector per bag, and bags of "
            f"{config.data} have up to {most} instances; add --set reduction=mean or "
            "--set reduction=maxmin."
        )


def _held_out(train: Dataset, config: RunConfig) -> tuple[Dataset, Dataset | None]:
    """Divide the training bags into those to fit on and those to calibrate on."""
    from mipl.data.splits import ten_splits

    if config.calibrate is None:
        return train, None
    (one,) = ten_splits(
        candidates=train.candidates,
        groups=train.groups,
        n_splits=1,
        train_share=1 - config.calibrate,
        seed=config.seed,
    )
    return train[one.train], train[one.test]


def _last_epoch(model: BagClassifier) -> dict[str, float]:
    history: list[dict[str, float]] = getattr(model, "history_", [])
    return history[-1] if history else {}


def _show(told: dict[str, Any]) -> None:
    from mipl.cli.progress import told as figures

    split = "" if told["split"] is None else f", split {told['split']}"
    rows = {
        "trained on": f"{told['trained_on']} of {told['bags']} bags{split}, "
        f"{told['seconds']:.1f} s"
    }
    if told["calibrated_on"]:
        rows["calibrated on"] = f"{told['calibrated_on']} bags, by their candidates"
    if last := figures(told["last_epoch"]):
        rows["last epoch"] = last
    if told["test"] is not None and told["test"]["truth"] is not None:
        rows["test accuracy"] = f"{told['test']['truth']['accuracy']:.3f}"
    show(title(told["method"], told["data"]), pairs(rows), "")
    say("saved", told["folder"])
    say("next", f"mipl evaluate {told['folder']} {told['data']}")
