"""What a training is asked for in the form, as the settings that ``mipl fit`` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mipl.errors import MiplError
from mipl.page.label_weight_lines import bags_to_record
from mipl.page.library import Library
from mipl.page.paging import whole
from mipl.page.workspace import Place
from mipl.runs.run_settings import RunSettings
from mipl.runs.time_trial import epochs_of

_TRAINING = "training__"


@dataclass(frozen=True)
class FitRequest:
    """What stands in the form, as text.

    Attributes
    ----------
    arguments : mapping
        Those that differ from the defaults.
    published : str
        The data set whose published settings are taken; "" for the defaults.
    reduction : str
        How bags become vectors, for methods of vectors.
    record : bool
        Whether the label weights of training bags are kept of each epoch.
    """

    place: Place
    method: str
    arguments: Mapping[str, Any]
    published: str
    reduction: str
    split: str
    seed: str
    calibrate: str
    library: Library
    record: bool = False

    def settings(self) -> dict[str, Any]:
        """Return the tables of a TOML file for ``mipl fit --config``."""
        seed = whole(self.seed.strip(), -1)
        if seed < 0:
            raise MiplError(
                f"seed must be a whole number >= 0 of at most 9 digits; got "
                f"{self.seed!r}."
            )
        own = {n: v for n, v in self.arguments.items() if not n.startswith(_TRAINING)}
        training = {
            name.removeprefix(_TRAINING): value
            for name, value in self.arguments.items()
            if name.startswith(_TRAINING)
        }
        if self.reduction:
            own["reduction"] = self.reduction
        told: dict[str, Any] = {
            "data": self.place.within,
            "method": self.method,
            "seed": seed,
            "arguments": own,
            "training": training,
        }
        if self.split:
            told["split"] = int(self.split)
        if self.calibrate.strip():
            told["calibrate"] = _share(self.calibrate.strip())
        if self.published:
            told["published"] = self.published
        return {name: value for name, value in told.items() if value != {}}


def fit_arguments(request: FitRequest) -> dict[str, Any]:
    """Return the arguments of the job: settings, and what its time depends on.

    The method is built once, so that a mistake is told before a process is started.
    """
    settings = request.settings()
    run = RunSettings.of_tables(settings).run()
    model, data = run.build(), request.library.dataset(request.place)
    if request.record:
        chosen = {"record_bags": bags_to_record(run, model, data)}
        settings["training"] = {**settings.get("training", {}), **chosen}
    epochs = epochs_of(model) or 1
    bags = data.bags
    rows = len(bags) if request.reduction else bags.n_instances
    size = float(rows * bags.n_features)
    cost = {"method": run.method, "epochs": epochs, "size": size}
    return {"settings": settings, "cost": cost}


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise MiplError(
            f"the share to calibrate must be a number in (0, 1); got {text!r}."
        ) from None
