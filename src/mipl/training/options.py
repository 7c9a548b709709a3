"""Training: everything about optimisation, in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from sklearn.base import BaseEstimator

from mipl.errors import MiplError
from mipl.parameters import (
    COUNT,
    THREADS,
    Declared,
    anything,
    choice,
    flag,
    integer,
    number,
)
from mipl.training.rounds import Round

DTYPES = {"float32": torch.float32, "float64": torch.float64}
SCHEDULES = ("cosine", "constant")
OPTIMISERS = ("sgd", "adam", "adamw")
ORDERS = ("new", "same")
FIGURES = ("approximated_accuracy", "covering_rate", "margin_violation_rate")


class Training(Declared, BaseEstimator):  # type: ignore[misc]
    """Settings of the training loop.

    Examples
    --------
    >>> Training(epochs=3).get_params()["epochs"]
    3
    """

    epochs: int = integer(
        "How often training goes over all bags.",
        default=100,
        at_least=1,
        bearable=COUNT,
    )
    optimiser: str = choice(
        "Stochastic gradient descent; Adam; or Adam whose weight decay is no part of "
        "the gradient.",
        OPTIMISERS,
        default="sgd",
    )
    lr: float = number(
        "Learning rate at first.",
        default=0.05,
        above=0,
        search=(0.001, 0.01, 0.05, 0.1),
        together="differ",
    )
    momentum: float = number(
        "Of stochastic gradient descent.",
        default=0.9,
        at_least=0,
        below=1,
        together="differ",
    )
    nesterov: bool = flag(
        "Whether its momentum is Nesterov's.", default=True, together="differ"
    )
    weight_decay: float = number(
        "Share of the parameters that is taken off them, times the learning rate.",
        default=1e-4,
        at_least=0,
        search=(1e-5, 1e-4, 1e-3, 1e-2),
        together="differ",
    )
    clip: float | None = number(
        "Largest norm of the whole gradient; a longer one is shortened to it. The "
        "published programs have no such bound, nor have the presets after them.",
        default=1.0,
        above=0,
        or_none=True,
        together="differ",
    )
    schedule: str = choice(
        "Course of the learning rate over the epochs.",
        SCHEDULES,
        default="cosine",
        together="differ",
    )
    warm_up: int = integer(
        "Epochs over which the learning rate rises to its full height before that.",
        default=0,
        at_least=0,
        bearable=COUNT,
        together="differ",
    )
    rounds: int = integer(
        "Equal parts of the epochs; with each, the course of the learning rate and "
        "the optimiser's memory begin anew.",
        default=1,
        at_least=1,
        bearable=COUNT,
    )
    order: str = choice(
        "Whether each epoch visits the bags in a new order, or all in the same.",
        ORDERS,
        default="new",
        together="differ",
    )
    average: float | None = number(
        "Predict with a running mean of the parameters over the epochs, in which an "
        "epoch counts this much of what the next one does; None predicts with those "
        "of the last epoch.",
        default=None,
        above=0,
        below=1,
    )
    batch_size: int | None = integer(
        "Bags per step; None takes all bags in one step per epoch.",
        default=16,
        at_least=1,
        bearable=COUNT,
        or_none=True,
    )
    batch_instances: int | None = integer(
        "At most about this many instances per step (one bag at least). An encoder of "
        "one's own sees a larger bag in pieces of so many.",
        default=None,
        at_least=1,
        bearable=COUNT,
        together="usual",
    )
    instances_per_bag: int | float | str | None = integer(
        "At most this many instances of each bag per step, or this share of them, "
        "drawn anew each time without replacement; predictions use all. "
        '"auto" tries 512, 2048 and 8192 on held-out training bags and takes the '
        "smallest that is as good as the best.",
        default=None,
        at_least=1,
        bearable=COUNT,
        or_share=True,
        or_word="auto",
    )
    dtype: str = choice("Type of the numbers.", tuple(DTYPES), default="float32")
    device: str = anything(
        'Where torch computes; "auto" takes a GPU where there is one.',
        "str",
        default="auto",
    )
    threads: int = integer(
        "Of torch, during a call; one is fastest for small networks.",
        default=1,
        at_least=1,
        bearable=THREADS,
    )
    stop_on: str | None = choice(
        "Stop early on this label-free figure of held-out training bags, and keep the "
        "best epoch.",
        FIGURES,
        default=None,
        together="differ",
    )
    patience: int = integer(
        "Epochs without gain before stopping.",
        default=10,
        at_least=1,
        together="differ",
        bearable=COUNT,
    )
    holdout: float = number(
        "Share of the training bags held out where stop_on is given.",
        default=0.1,
        above=0,
        below=1,
        together="differ",
    )
    record_bags: Sequence[int] = anything(
        "Training bags whose label weights and best candidate and non-candidate "
        "probabilities are kept per epoch.",
        "sequence of bag numbers",
        default=(),
        together="differ",
    )

    def check(self) -> None:
        """Refuse settings that cannot train, with one sentence."""
        self.check_parameters()
        if self.nesterov and self.momentum == 0:
            raise MiplError("nesterov of Training needs a momentum > 0; got 0.")

    def round_of(self, t: int) -> Round:
        """Return the round of epoch t = 1..T."""
        return Round.of(t, self.epochs, self.rounds)

    def learning_rate(self, t: int) -> float:
        """Return the learning rate of epoch t = 1..T."""
        here = self.round_of(t)
        if here.epoch <= self.warm_up:
            return self.lr * here.epoch / self.warm_up
        if self.schedule == "constant":
            return self.lr
        done, falling = here.epoch - 1 - self.warm_up, here.epochs - self.warm_up
        return self.lr / 2 * (1 + math.cos(math.pi * done / falling))

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
