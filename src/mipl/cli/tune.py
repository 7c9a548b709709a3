"""``mipl tune``: search for a method's arguments without true labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mipl.cli.model_options import DataSeed, Fold
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw
from mipl.cli.output import next_step, pairs, say, show, show_json, table, title
from mipl.cli.own_files import Own, given_again, run_own
from mipl.cli.tune_options import (
    Folds,
    Method,
    Score,
    Seed,
    Settings,
    Space,
    Study,
    Trials,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.data.dataset import Dataset
    from mipl.runs.run import Run
    from mipl.selection import Trial, Tuned

_SHOWN = 5


def tune(
    context: typer.Context,
    data: NameOrPath,
    method: Method = "miplma",
    space: Space = None,
    settings: Settings = None,
    trials: Trials = 40,
    score: Score = "covering_rate",
    folds: Folds = 3,
    study: Study = None,
    seed: Seed = 0,
    split: Fold = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Search for good arguments without true labels; write a run.toml for mipl fit.

    The same command again goes on with a study that was interrupted.
    """
    from mipl import selection
    from mipl.cli.progress import trial_bar
    from mipl.cli.resuming import stoppable

    run_own(own)
    given = {
        "data": data,
        "method": method,
        "seed": seed,
        "split": split,
        "r": r,
        "data_seed": data_seed,
        "raw": None if raw is None else str(raw),
    }
    run, searched = _plan(given, space, settings or [])
    kept, written = _places(run, space, study)
    with stoppable(context, kept, ""), trial_bar() as watch:
        bags = _training_bags(run, searched)
        found = selection.tune(
            bags,
            run.method,
            searched,
            arguments=run.arguments,
            score=score,
            folds=folds,
            trials=trials,
            seed=run.seed,
            study=kept,
            watch=watch,
        )
    _write(run, found.best, written)
    told = _told(run, found) | {
        "score": score,
        "folds": folds,
        "bags": len(bags),
        "study": str(kept),
        "config": str(written),
    }
    show_json(told) if as_json else _show(told, own or ())


def _plan(
    given: dict[str, Any], space: str | None, settings: list[str]
) -> tuple[Run, dict[str, Any]]:
    """Return the run around the search, and what is searched; --set wins."""
    from mipl.runs.run_settings import RunSettings
    from mipl.runs.search_settings import divide, space_settings

    told = RunSettings.of_tables(given) | RunSettings.of(settings)
    fixed, searched = divide(told)
    if space is not None or not searched:
        fixed, searched = divide(space_settings(space, told.fields["method"]) | told)
    return fixed.run(), searched


def _training_bags(run: Run, searched: dict[str, Any]) -> Dataset:
    """Return the bags to search on: those of the split, or all."""
    from mipl.runs.execution import check_vectors

    train = run.parts().train
    if "reduction" not in searched:
        check_vectors(run, run.build(), train)
    return train


def _places(run: Run, space: str | None, study: Path | None) -> tuple[Path, Path]:
    """Return where the trials are kept, and where the best run is written."""
    from mipl.errors import MiplError

    if study is None:
        name = Path(run.data).name
        study = Path(f"{name.partition('.')[0] or name}-{run.method}.db")
    written = study.with_suffix(".run.toml")
    if space is not None and written.absolute() == Path(space).absolute():
        raise MiplError(f"{space} would be overwritten; give another --study.")
    return study, written


def _write(run: Run, best: Trial, path: Path) -> None:
    """Write the run of ``mipl fit`` that the search has found."""
    from dataclasses import replace

    from mipl.files import write_text
    from mipl.runs.execution import as_used
    from mipl.runs.run_settings import run_toml

    found = replace(run, arguments={**run.arguments, **best.settings})
    write_text(path, run_toml(as_used(found, found.build())))


def _told(run: Run, found: Tuned) -> dict[str, Any]:
    states = ("finished", "pruned", "diverged")
    return {
        "method": run.method,
        "data": run.data,
        "split": run.split,
        "trials": len(found.trials),
        **{state: found.count(state) for state in states},
        "best": [_as_dict(trial) for trial in found.ranked()[:_SHOWN]],
    }


def _as_dict(trial: Trial) -> dict[str, Any]:
    return {
        "trial": trial.number,
        "score": trial.score,
        "folds": list(trial.scores),
        "settings": {n.replace("__", "."): v for n, v in trial.settings.items()},
    }


def _show(told: dict[str, Any], own: Sequence[Path]) -> None:
    split = "" if told["split"] is None else f" of split {told['split']}"
    rows = {
        "scored by": f"{told['score']}, {told['folds']} folds of {told['bags']} "
        f"training bags{split}; no true label was used",
        "trials": f"{told['trials']}: {told['finished']} finished, "
        f"{told['pruned']} stopped early, {told['diverged']} diverged",
    }
    names = list(told["best"][0]["settings"])
    best = [
        (
            one["trial"],
            f"{one['score']:.3f}",
            " ".join(f"{value:.3f}" for value in one["folds"]),
            *(_short(one["settings"][name]) for name in names),
        )
        for one in told["best"]
    ]
    show(title(told["method"], told["data"]), pairs(rows), "")
    show(table(["trial", "score", "folds", *names], best), "")
    say("study", told["study"])
    say("saved", told["config"])
    with_own = given_again(own)
    next_step("mipl", "fit", "--config", told["config"], "--out", "run", *with_own)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value)
