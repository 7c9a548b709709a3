"""The folder of a run: the model, how it was made, and which bags it has seen."""

from __future__ import annotations

import json
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
    make_folder,
    read_bounded,
    write_text,
)
from mipl.methods.loading import load_model
from mipl.methods.saving.model_file import FACTS
from mipl.runs.config import RunConfig, read_config, run_config
from mipl.runs.source import Source
from mipl.runs.trained_on import TrainedOn

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.images.image_bags import ImageBags
    from mipl.methods.bases.base import BagClassifier

MODEL, RUN, BAGS = "model", "run.toml", "bags.json"
_LONGEST = 1 << 28


@contextmanager
def new_run(folder: Path) -> Iterator[Path]:
    """Give a place that becomes the folder of a run on success.

    An earlier run is replaced as a whole; a folder that holds anything else is
    refused at once, before time is spent on training.
    """
    make_folder(folder.absolute().parent)
    clear_temporaries(folder)
    with atomic_folder(folder, (MODEL, RUN, BAGS)) as place:
        yield place


def fill_run(
    place: Path,
    model: BagClassifier,
    config: RunConfig,
    trained: TrainedOn,
    data: Dataset,
    figures: Mapping[str, float],
) -> None:
    """Write all that a run leaves behind."""
    model.save(place / MODEL, data=data, figures=figures)
    write_text(place / RUN, config.as_used(model).to_toml())
    write_text(place / BAGS, trained.model_dump_json())


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A loaded model, and what is remembered of its run, if there is a run."""

    model: BagClassifier
    config: RunConfig | None
    trained: TrainedOn | None

    def source(self, given: Source) -> Source:
        """Return where to get data from: of the run's own data set, as the run did.

        What is given stands; only what is left open is taken from the run.
        """
        if self.config is None or self.config.data != given.target:
            return given
        own = self.config.source()
        return replace(
            given,
            r=own.r if given.r is None else given.r,
            seed=own.seed if given.seed is None else given.seed,
            raw=given.raw or own.raw,
            settings=given.settings or own.settings,
        )

    def check_generator(self, made: ImageBags) -> None:
        """Refuse pictures that would be cut otherwise than those of the training."""
        trained = None if self.trained is None else self.trained.generator
        given = json.loads(json.dumps(made.facts()))
        if trained is not None and given != trained:
            raise MiplError(
                f"the model learnt from pictures cut by {_told(trained)}, and these "
                f"would be cut by {_told(given)}; give the --generator and --set of "
                "the training."
            )


def _told(generator: Mapping[str, Any]) -> str:
    """Write a generator as it is called."""
    settings = {name: value for name, value in generator.items() if name != "kind"}
    pairs = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return f"{generator.get('kind')}({pairs})"


def open_model(folder: Path) -> OpenedModel:
    """Load the model of a run's folder, or of a folder that ``save`` has written."""
    return read_whole(folder, _open)


def _open(folder: Path) -> OpenedModel:
    if (folder / FACTS).exists() or not (folder / MODEL).exists():
        return OpenedModel(load_model(folder), None, None)
    trained = _read_trained(folder / BAGS)
    config = run_config(read_config(folder / RUN), {}, [])
    return OpenedModel(load_model(folder / MODEL), config, trained)


def _read_trained(path: Path) -> TrainedOn:
    raw = read_bounded(path, _LONGEST)
    try:
        return TrainedOn.model_validate_json(raw)
    except ValidationError as error:
        what = error.errors()[0]["msg"]
        raise BadFile(f"{path} is damaged: {what}.") from None


def as_figures(values: Mapping[str, Any]) -> dict[str, float]:
    """Keep the single numbers of nested figures, for a model card."""
    flat: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}: {inner}": v for inner, v in as_figures(value).items()}
        elif isinstance(value, (int, float)):
            flat[name] = float(value)
    return flat
