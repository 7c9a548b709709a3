"""The folder of a run: model, settings, bags it has seen, history and figures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mipl.atomic_folders import atomic_folder, read_whole
from mipl.errors import BadFile, MiplError
from mipl.files import (
    clear_temporaries,
    holds_file,
    make_folder,
    read_bounded,
    stamp,
    write_text,
)
from mipl.generators.generator_catalog import kind_of
from mipl.methods.loading import load_model
from mipl.methods.saving.model_file import FACTS
from mipl.plain_text import shortened
from mipl.runs.run import Run
from mipl.runs.run_files import (
    BAGS,
    EVALUATION,
    HISTORY,
    MODEL,
    RUN,
    checkpoint_path,
)
from mipl.runs.run_settings import RunSettings, read_tables, run_toml
from mipl.runs.source import Source
from mipl.runs.trained_on import TrainedOn
from mipl.training import Checkpoint

if TYPE_CHECKING:
    from mipl.generators.bag_generator import BagGenerator
    from mipl.methods.bases.base import BagClassifier
    from mipl.runs.execution import FittedRun

_LONGEST = 1 << 28
_LONGEST_SETTING = 60  # Letters: what a generator has learnt is longer.


def new_checkpoint(folder: str | Path, every: int | None, resume: bool) -> Checkpoint:
    """Return the checkpoint of a run to this folder.

    An interrupted run that lies there is not lost by accident: it must be asked for.
    """
    path = checkpoint_path(folder)
    if path.exists() and not resume:
        raise MiplError(
            f"{path} is of an interrupted run; add --resume to go on with it, or "
            "delete it to begin anew."
        )
    return Checkpoint(path, every)


@contextmanager
def new_run(folder: str | Path, force: bool = False) -> Iterator[Path]:
    """Give a place that becomes the folder of a run on success.

    An earlier run is replaced as a whole, and only by ``force``; a folder that holds
    anything else is refused. Both at once, before time is spent on training.
    """
    if not force and (Path(folder) / RUN).exists():
        raise MiplError(
            f"{folder} holds a run; give another folder, or force=True to replace it."
        )
    make_folder(Path(folder).absolute().parent)
    clear_temporaries(folder)
    files = (MODEL, RUN, BAGS, HISTORY, EVALUATION)
    with atomic_folder(folder, files) as place:
        yield place


def fill_run(place: Path, used: Run, done: FittedRun, trained: TrainedOn) -> None:
    """Write all that a run leaves behind; what it has no figures of has no file."""
    figures = None if done.evaluation is None else done.evaluation.as_dict()
    card = as_figures(figures or {})
    done.model.save(place / MODEL, data=done.parts.train, figures=card)
    write_text(place / RUN, run_toml(used))
    write_text(place / BAGS, trained.model_dump_json())
    if done.history:
        write_text(place / HISTORY, _json(done.history))
    if figures is not None:
        write_text(place / EVALUATION, _json(figures))


def _json(figures: Any) -> str:
    return json.dumps(_finite(figures), indent=1, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Return a value with None for every number that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A loaded model, and what is remembered of its run, if there is a run."""

    model: BagClassifier
    run: Run | None
    trained: TrainedOn | None

    def source(self, given: Source) -> Source:
        """Return where to get data from: of the run's own data set, as the run did.

        What is given stands; only what is left open is taken from the run.
        """
        if self.run is None or self.run.data != given.target:
            return given
        own = Source.of(self.run)
        return replace(
            given,
            r=own.r if given.r is None else given.r,
            seed=own.seed if given.seed is None else given.seed,
            raw=given.raw or own.raw,
            options=given.options or own.options,
        )

    def check_generator(self, made: BagGenerator) -> None:
        """Refuse items that would be cut otherwise than those of the training."""
        trained = None if self.trained is None else self.trained.generator
        given = json.loads(json.dumps(made.facts()))
        if trained is not None and given != trained:
            items = kind_of(trained.get("kind")) or made.item.noun
            raise MiplError(
                f"the model learnt from {items}s cut by {_told(trained)}, and "
                f"these would be cut by {_told(given)}; give the --generator and "
                "--set of the training."
            )


def _told(generator: Mapping[str, Any]) -> str:
    """Write a generator as it is called."""
    settings = {name: value for name, value in generator.items() if name != "kind"}
    pairs = ", ".join(
        f"{name}={shortened(repr(value), _LONGEST_SETTING)}"
        for name, value in settings.items()
    )
    return f"{generator.get('kind')}({pairs})"


def open_model(folder: Path) -> OpenedModel:
    """Load the model of a run's folder, or of a folder that ``save`` has written."""
    return read_whole(folder, _open)


def _open(folder: Path) -> OpenedModel:
    if holds_file(folder / FACTS) or stamp(folder / MODEL) is None:
        return OpenedModel(load_model(folder), None, None)
    trained = _read_trained(folder / BAGS)
    run = RunSettings.of_tables(read_tables(folder / RUN)).run()
    return OpenedModel(load_model(folder / MODEL), run, trained)


def _read_trained(path: Path) -> TrainedOn:
    raw = read_bounded(path, _LONGEST)
    try:
        return TrainedOn.model_validate_json(raw)
    except ValidationError as error:
        what = error.errors()[0]["msg"]
        raise BadFile(f"{path} is damaged: {what}.") from None


def as_figures(values: Mapping[str, Any]) -> dict[str, float]:
    """Keep the single finite numbers of nested figures, for a model card."""
    flat: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}: {inner}": v for inner, v in as_figures(value).items()}
        elif isinstance(value, (int, float)) and math.isfinite(value):
            flat[name] = float(value)
    return flat
