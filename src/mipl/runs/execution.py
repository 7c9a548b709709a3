"""What a run does: build its estimator, divide its data, fit, calibrate and judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.dataset import Dataset
from mipl.data.splits import Split, ten_splits
from mipl.errors import MiplError
from mipl.files import make_folder
from mipl.methods.bases.base import BagClassifier
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.methods.catalogue.registry import method
from mipl.methods.wrappers.degraded import keeps_checkpoints
from mipl.methods.wrappers.together import refuse_warm_start
from mipl.runs.evaluation import Evaluation, evaluate
from mipl.runs.folder import fill_run, new_checkpoint, new_run
from mipl.runs.folder_lock import writing_alone
from mipl.runs.run import Run
from mipl.runs.source import Source
from mipl.runs.trained_on import TrainedOn
from mipl.training import Checkpoint
from mipl.training.distributed import process_rank

OF_PLANS = ("watch", "test_curve")  # Arguments that tell what a store is to keep.
_AROUND = "one_vs_rest"  # Tells what is built around a method, whose arguments do not.


@dataclass(frozen=True, eq=False)
class Parts:
    """The data of a run, divided.

    Attributes
    ----------
    whole : Dataset
    train : Dataset
        The bags to fit on.
    calibration, test : Dataset or None
        None where the run calibrates on none, or is fitted on all bags.
    """

    whole: Dataset
    train: Dataset
    calibration: Dataset | None
    test: Dataset | None


@dataclass(frozen=True, eq=False)
class FittedRun:
    """What came of a run.

    Attributes
    ----------
    run : Run
    model : BagClassifier
        Fitted, and calibrated where the run asks for it.
    parts : Parts
        The data that it was fitted, calibrated and judged on.
    evaluation : Evaluation or None
        On the test bags; None where all bags were fitted on.
    seconds : float
        Of the fit.
    """

    run: Run
    model: BagClassifier
    parts: Parts
    evaluation: Evaluation | None
    seconds: float

    @property
    def history(self) -> list[dict[str, float]]:
        """Figures of each epoch; empty for methods without epochs."""
        return getattr(self.model, "history_", [])


def build(run: Run) -> BagClassifier:
    """Return the estimator of a run, not fitted yet."""
    arguments = {n: v for n, v in run.arguments.items() if n not in OF_PLANS}
    published = arguments.pop("published", False)
    if not isinstance(published, (bool, str)):
        raise MiplError(
            "published of a run must be true, false or the name of a data set; got "
            f"{published!r}."
        )
    curve = run.arguments.get("test_curve", False)
    if not isinstance(curve, bool):
        raise MiplError(f"test_curve of a run must be true or false; got {curve!r}.")
    of = run.data if published is True else published or None
    model = method(run.method, published_for=of, r=run.r, **arguments)
    refuse_warm_start(model)
    seeds = [name for name in model.get_params() if name.endswith("random_state")]
    return model.set_params(**dict.fromkeys(seeds, run.seed))


def as_used(run: Run, model: BagClassifier) -> Run:
    """Return a run with every argument that its estimator has.

    It builds the same estimator where defaults or published settings have changed.
    """
    arguments = model.get_params(deep=False)
    if _AROUND in run.arguments:
        arguments[_AROUND] = run.arguments[_AROUND]
    inner = arguments.pop("estimator", None)
    if inner is not None:  # The run names the inner method's arguments, too.
        return replace(run, arguments={**as_used(run, inner).arguments, **arguments})
    training = arguments.pop("training", None)
    arguments.pop("random_state", None)
    arguments.pop("warm_start", None)
    if training is None and hasattr(model, "training"):
        training = model._default_training()
    steps = {} if training is None else training.get_params()
    arguments |= {f"training__{name}": value for name, value in steps.items()}
    # Parts and functions come with the id, which alone can name them.
    plain = {name: v for name, v in arguments.items() if not _is_object(v)}
    return replace(run, arguments=plain)


def _is_object(value: Any) -> bool:
    several = value if isinstance(value, (list, tuple)) else [value]
    return any(callable(one) or hasattr(one, "get_params") for one in several)


def load(run: Run) -> Dataset:
    """Return the data set of a run."""
    return Source.of(run).dataset()


def divide(run: Run, data: Dataset) -> Parts:
    """Return the bags to fit on, to calibrate on and to judge by."""
    train, test = (data, None) if run.split is None else data.split(run.split)
    if run.calibrate is None:
        return Parts(data, train, None, test)
    one = _kept_apart(run, train, run.calibrate)
    return Parts(data, train[one.train], train[one.test], test)


def fitted_bags(run: Run, data: Dataset) -> npt.NDArray[np.int64]:
    """Return the numbers of the bags that a run is fitted on, in its order.

    Examples
    --------
    >>> run = Run("miplma", "digits-mipl", calibrate=0.2)
    >>> data = run.load()
    >>> bool((data[fitted_bags(run, data)].labels == run.parts().train.labels).all())
    True
    """
    fold = run.split
    numbers = np.arange(len(data)) if fold is None else data.fold(fold).train
    if run.calibrate is None:
        return numbers
    return numbers[_kept_apart(run, data[numbers], run.calibrate).train]


def _kept_apart(run: Run, train: Dataset, share: float) -> Split:
    """Divide the bags of a split once more, into those fitted and those kept."""
    (one,) = ten_splits(
        candidates=train.candidates,
        groups=train.groups,
        n_splits=1,
        train_share=1 - share,
        seed=run.seed,
    )
    return one


def check_vectors(run: Run, model: BagClassifier, train: Dataset) -> None:
    """Tell what to add where a method of vectors meets bags."""
    most = int(train.bags.sizes.max())
    if isinstance(model, PartialLabelClassifier) and most > 1:
        raise MiplError(
            f"{run.method} learns from one vector per bag, and bags of {run.data} have "
            f"up to {most} instances; add --set reduction=mean or --set "
            "reduction=maxmin."
        )


def execute(
    run: Run,
    folder: str | Path | None = None,
    callbacks: Sequence[Any] = (),
    resume: bool = False,
    checkpoint_every: int | None = None,
    force: bool = False,
) -> FittedRun:
    """Fit, calibrate and judge; with a folder, write what ``mipl fit`` writes."""
    for name in OF_PLANS:
        if name in run.arguments:
            raise MiplError(
                f"{name} is for runs of a plan, which keep no model; leave it out, and "
                "ask the model itself about any bag."
            )
    if folder is None:
        if resume or checkpoint_every is not None:
            raise MiplError(
                "resume and checkpoint_every are of a run that is written to a folder; "
                "give folder."
            )
        return _judged(run, *_fitted(run, callbacks))
    if process_rank() > 0:  # The first of several processes writes for all.
        checkpoint = new_checkpoint(folder, checkpoint_every, resume)
        return _judged(run, *_fitted(run, (), checkpoint))
    make_folder(Path(folder).absolute().parent)
    with writing_alone(folder):
        checkpoint = new_checkpoint(folder, checkpoint_every, resume)
        going_on = resume and checkpoint.path.exists()  # Then it was forced before.
        with new_run(folder, force or going_on) as place:
            done = _judged(run, *_fitted(run, callbacks, checkpoint))
            trained = TrainedOn.of(done.parts.whole, run.split)
            fill_run(place, as_used(run, done.model), done, trained)
        checkpoint.path.unlink(missing_ok=True)
    return done


def _fitted(
    run: Run, callbacks: Sequence[Any], checkpoint: Checkpoint | None = None
) -> tuple[BagClassifier, Parts, float]:
    model = build(run)
    parts = divide(run, load(run))
    check_vectors(run, model, parts.train)
    if callbacks and hasattr(model, "set_callbacks"):
        model.set_callbacks(*callbacks)
    kept = {} if checkpoint is None else _kept_by(model, checkpoint)
    start = perf_counter()
    model.fit(parts.train.bags, parts.train.candidates, **kept)
    return model, parts, perf_counter() - start


def _kept_by(model: BagClassifier, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what ``fit`` takes of this: a method that does not train has no state."""
    if keeps_checkpoints(model):
        return {"checkpoint": checkpoint}
    if checkpoint.every is not None:
        name = type(getattr(model, "estimator", model)).__name__
        raise MiplError(f"{name} keeps no state; leave --checkpoint-every out.")
    return {}


def _judged(run: Run, model: BagClassifier, parts: Parts, seconds: float) -> FittedRun:
    held = parts.calibration
    if held is not None and held.labels is not None:
        model.calibrate(held.bags, labels=held.labels)
    elif held is not None:
        model.calibrate(held.bags, candidates=held.candidates)
    figures = None if parts.test is None else evaluate(model, parts.test)
    return FittedRun(run, model, parts, figures, seconds)
