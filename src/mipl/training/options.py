"""Training: everything about optimisation, in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from numbers import Integral, Real
from typing import Any

import torch
from sklearn.base import BaseEstimator

from mipl.errors import MiplError

DTYPES = {"float32": torch.float32, "float64": torch.float64}
SCHEDULES = ("cosine", "constant")
OPTIMISERS = ("sgd", "adam", "adamw")
FIGURES = ("approximated_accuracy", "covering_rate", "margin_violation_rate")


class Training(BaseEstimator):  # type: ignore[misc]
    """Settings of the training loop.

    Parameters
    ----------
    epochs : int
    optimiser : {"sgd", "adam", "adamw"}
        ``"adamw"`` is Adam whose weight decay is no part of the gradient.
    lr, weight_decay
    momentum, nesterov
        Of stochastic gradient descent.
    clip : float or None
        Largest norm of the whole gradient; a longer one is shortened to it. The
        published programs have no such bound, nor have the presets after them.
    schedule : {"cosine", "constant"}
        Course of the learning rate over the epochs.
    batch_size : int or None
        Bags per step; None takes all bags in one step per epoch.
    batch_instances : int or None
        At most about this many instances per step (one bag at least).
    instances_per_bag : int or None
        At most this many instances of each bag per step, drawn anew each time without
        replacement; predictions use all.
    dtype : {"float32", "float64"}
    device : str
        ``"auto"`` takes a GPU where there is one.
    threads : int
        Of torch, during a call; one is fastest for small networks.
    stop_on : None, "approximated_accuracy", "covering_rate", "margin_violation_rate"
        Stop early on this label-free figure of held-out training bags, and keep the
        best epoch.
    patience : int
        Epochs without gain before stopping.
    holdout : float
        Share of the training bags held out where ``stop_on`` is given.
    record_bags : sequence of bag numbers
        Training bags whose label weights and best candidate and non-candidate
        probabilities are kept per epoch.

    Examples
    --------
    >>> Training(epochs=3).get_params()["epochs"]
    3
    """

    def __init__(
        self,
        epochs: int = 100,
        optimiser: str = "sgd",
        lr: float = 0.05,
        momentum: float = 0.9,
        nesterov: bool = True,
        weight_decay: float = 1e-4,
        clip: float | None = 1.0,
        schedule: str = "cosine",
        batch_size: int | None = 16,
        batch_instances: int | None = None,
        instances_per_bag: int | None = None,
        dtype: str = "float32",
        device: str = "auto",
        threads: int = 1,
        stop_on: str | None = None,
        patience: int = 10,
        holdout: float = 0.1,
        record_bags: Sequence[int] = (),
    ) -> None:
        self.epochs = epochs
        self.optimiser = optimiser
        self.lr = lr
        self.momentum = momentum
        self.nesterov = nesterov
        self.weight_decay = weight_decay
        self.clip = clip
        self.schedule = schedule
        self.batch_size = batch_size
        self.batch_instances = batch_instances
        self.instances_per_bag = instances_per_bag
        self.dtype = dtype
        self.device = device
        self.threads = threads
        self.stop_on = stop_on
        self.patience = patience
        self.holdout = holdout
        self.record_bags = record_bags

    def check(self) -> None:
        """Refuse settings that cannot train, with one sentence."""
        for name in ("epochs", "threads", "patience"):
            _need(name, getattr(self, name), "an integer >= 1", _whole)
        for name in ("batch_size", "batch_instances", "instances_per_bag"):
            _need(name, getattr(self, name), "None or an integer >= 1", _none_or_whole)
        _need("lr", self.lr, "a number > 0", _positive)
        _need("weight_decay", self.weight_decay, "a number >= 0", _not_negative)
        _need("clip", self.clip, "None or a number > 0", _none_or_positive)
        _need("momentum", self.momentum, "in [0, 1)", lambda v: _real(v) and 0 <= v < 1)
        _need("holdout", self.holdout, "in (0, 1)", lambda v: _real(v) and 0 < v < 1)
        _need("optimiser", self.optimiser, f"one of {OPTIMISERS}", _among(OPTIMISERS))
        _need("schedule", self.schedule, f"one of {SCHEDULES}", _among(SCHEDULES))
        _need("dtype", self.dtype, f"one of {tuple(DTYPES)}", _among(DTYPES))
        _need(
            "stop_on",
            self.stop_on,
            f"None or one of {FIGURES}",
            lambda v: v is None or _among(FIGURES)(v),
        )
        _need("nesterov", self.nesterov, "True or False", _bool)
        if self.nesterov and self.momentum == 0:
            raise MiplError("nesterov of Training needs a momentum > 0; got 0.")

    def learning_rate(self, t: int) -> float:
        """Return the learning rate of epoch t = 1..T."""
        if self.schedule == "constant":
            return self.lr
        return self.lr / 2 * (1 + math.cos(math.pi * (t - 1) / self.epochs))

    def torch_dtype(self) -> torch.dtype:
        """Return the torch type of the numbers."""
        return DTYPES[self.dtype]

    def torch_device(self) -> torch.device:
        """Return the device that ``device`` names."""
        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
        try:
            device = torch.device(self.device)
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError, TypeError) as error:
            raise MiplError(
                f"device of Training must be 'auto', 'cpu' or a device that torch "
                f"finds here; got {self.device!r}."
            ) from error
        return device


def _need(name: str, value: Any, what: str, holds: Callable[[Any], bool]) -> None:
    if not holds(value):
        raise MiplError(f"{name} of Training must be {what}; got {value!r}.")


def _among(names: Container[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in names


def _real(value: Any) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _positive(value: Any) -> bool:
    return _real(value) and value > 0


def _none_or_positive(value: Any) -> bool:
    return value is None or _positive(value)


def _not_negative(value: Any) -> bool:
    return _real(value) and value >= 0


def _bool(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _real(value) and isinstance(value, Integral) and int(value) >= 1


def _none_or_whole(value: Any) -> bool:
    return value is None or _whole(value)
