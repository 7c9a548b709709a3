"""``mipl fit``: train a method and keep what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mipl.cli.fit_options import (
    Calibrate,
    CheckpointEvery,
    Config,
    Data,
    Everything,
    Force,
    Method,
    Out,
    Resume,
    Seed,
    Settings,
)
from mipl.cli.model_options import DataSeed, Fold
from mipl.cli.options import FalseLabels, Json, PublishedSettings, Raw
from mipl.cli.output import next_step, pairs, say, show, show_json, title, warn
from mipl.cli.own_files import Own, given_again, run_own
from mipl.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.runs.execution import FittedRun


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
    force: Force = False,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Train a method on a data set; write the model, run.toml and the bags used.

    In many processes: torchrun --nproc-per-node 2 -m mipl.cli.main fit DATA --out RUN
    """
    from mipl.cli.large_bags import LargeBags
    from mipl.cli.progress import EpochBar
    from mipl.cli.resuming import stoppable
    from mipl.errors import MiplError
    from mipl.runs.prediction_sets import doubts_of_sets
    from mipl.runs.run_files import checkpoint_path
    from mipl.runs.run_settings import RunSettings, read_tables
    from mipl.training.distributed import process_rank

    run_own(own)
    if everything and split is not None:
        raise MiplError("--split and --all exclude each other; give one.")
    file = {} if config is None else read_tables(config)
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
    told = RunSettings.of_tables(file) | RunSettings.of_tables(given)
    run = (told | RunSettings.of(settings or ())).run()
    if process_rank() > 0:  # One voice, that of the first process.
        run.execute(out, (), resume, checkpoint_every, force)
        return
    with stoppable(context, checkpoint_path(out)):
        done = run.execute(
            out, [LargeBags(), EpochBar()], resume, checkpoint_every, force
        )
    held = done.parts.calibration
    if held is not None:
        for sentence in doubts_of_sets(done.model, held.bags):
            warn(sentence)
    if as_json:
        show_json(_told(done, out))
    else:
        _show(_told(done, out), own or ())


def _told(done: FittedRun, out: Path) -> dict[str, Any]:
    from mipl.runs.run_files import MODEL

    held, conformal = done.parts.calibration, done.model.conformal_
    return {
        "folder": str(out),
        "model": str(out / MODEL),
        "method": done.run.method,
        "data": done.run.data,
        "split": done.run.split,
        "bags": len(done.parts.whole),
        "trained_on": len(done.parts.train),
        "calibrated_on": 0 if held is None else len(held),
        "calibrated_by": None if conformal is None else conformal[0],
        "instances_per_bag": getattr(done.model, "instances_per_bag_", None),
        "seconds": done.seconds,
        "last_epoch": done.history[-1] if done.history else {},
        "test": None if done.evaluation is None else done.evaluation.as_dict(),
    }


def _show(told: dict[str, Any], own: Sequence[Path]) -> None:
    from mipl.cli.progress import told as figures

    split = "" if told["split"] is None else f", split {told['split']}"
    rows = {
        "trained on": f"{told['trained_on']} of {told['bags']} bags{split}, "
        f"{told['seconds']:.1f} s"
    }
    if told["calibrated_on"]:
        by = {"labels": "true labels", "candidates": "candidates"}
        rows["calibrated on"] = (
            f"{counted(told['calibrated_on'], 'bag')}, by their "
            f"{by[told['calibrated_by']]}"
        )
    if (some := told["instances_per_bag"]) is not None:
        drawn = f"at most {some:,}" if some >= 1 else f"{some:.0%}"
        rows["instances per bag"] = f"{drawn} per epoch"
    if last := figures(told["last_epoch"]):
        rows["last epoch"] = last
    if told["test"] is not None and told["test"]["truth"] is not None:
        rows["test accuracy"] = f"{told['test']['truth']['accuracy']:.3f}"
    show(title(told["method"], told["data"]), pairs(rows), "")
    say("saved", told["folder"])
    seen = told["folder"], told["data"]
    next_step("mipl", "evaluate", *seen, *given_again(own))
