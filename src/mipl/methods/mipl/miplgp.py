"""MIPLGP: Gaussian processes on instances with Dirichlet labels (SCIS 2024)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.methods.bases.gaussian import AllInstances, GaussianClassifier, Regression
from mipl.nn.inducing import inducing_points
from mipl.nn.segments import Segments
from mipl.objectives import lognormal, softmax_on, tied, with_negative
from mipl.parameters import choice, integer, number
from mipl.seeds import stream
from mipl.training.options import Training
from mipl.training.state import Clock


class MIPLGP(GaussianClassifier):
    """Multi-instance partial-label learning with Gaussian processes.

    Every instance may have one of its bag's candidates, or be negative: one more class.
    These labels are Dirichlet variables, which turn into regression targets in a
    logarithmic space; one Gaussian process per class regresses on them, and what the
    processes say moves the labels. A bag has the class of its surest instance.

    ::

        alpha  = 1/(|S| + 1) + eps on S and the negative class,  eps elsewhere
        sigma2 = log(1/alpha + 1),   y = log(alpha) - sigma2/2
        f_c    ~ GP(0, scale * Matern),   y_c = f_c(x) + N(0, sigma2_c)
        each iteration: a step on -log p(y),  then  alpha = softmax_S( f(x) ) + eps
        theta  = E softmax(f),   bag: argmax_c max_j theta_jc over the q real classes

    So says the paper: ``MIPLGP.paper()``. Nothing there keeps an instance positive, so
    that after some iterations all are negative. In the published program, the default
    here, f(x) of the last-but-one line is the prior mean, a learnt constant per class:
    labels of one set move alike, by little, and predictions regress on the first
    targets. Scale, length and a noise per class are learnt as well.

    The regression is exact. With more than ``exact_up_to`` instances, whose covariance
    would take the cube of their number to decompose, the prior is learnt on random bags
    of so many, and conjugate gradients then regress on all instances; for a short
    kernel nothing less will do. ``regression="inducing"`` lets centres of the
    instances, found by k-means, stand for them (Titsias's bound): seconds instead of
    minutes, for kernels that are long.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = MIPLGP(inducing=50).set_params(training__epochs=10)
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    Tang, Zhang, Zhang: Multi-instance partial-label learning: towards exploiting dual
    inexact supervision. Science China Information Sciences 2024.
    """

    disambiguation: str = choice(
        "What moves the labels: the processes' mean at each instance (paper), or their "
        "prior mean (program), which then leaves targets and noise of predictions "
        "alone.",
        ("prior", "posterior"),
        default="prior",
    )
    epsilon: float = number("The paper's eps.", default=1e-4, at_least=1e-12, at_most=1)
    draws: int = integer("Monte-Carlo draws of theta.", default=512, at_least=1)
    regression: str = choice(
        "On all instances, or on inducing points that stand for them.",
        ("exact", "inducing"),
        default="exact",
    )
    exact_up_to: int = integer(
        "Up to how many instances their covariance is decomposed.",
        default=1000,
        at_least=0,
    )
    inducing: int = integer(
        "Number of inducing points; they precondition the exact regression.",
        default=200,
        at_least=1,
    )
    memory: float = number(
        "Gigabytes that the covariance of all instances may take; where it would take "
        "more, it is computed anew in each iteration.",
        default=6.0,
        at_least=0,
    )

    @classmethod
    def paper(cls, **arguments: Any) -> Self:
        """Return the paper's equations; the scale of the kernel is still learnt.

        Labels that follow the posterior need a regression in each iteration, which
        inducing points make possible where instances are many.
        """
        preset = {"disambiguation": "posterior", "normalise": "all", "mean": "zero"}
        more = {"length": 1.0, "extra_noise": False, "regression": "inducing"}
        return cls(**{**preset, **more, **arguments})

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program."""
        preset = {"disambiguation": "prior", "normalise": "real", "mean": "constant"}
        more = {"length": None, "extra_noise": True, "regression": "exact"}
        return cls(**{**preset, **more, **arguments})

    # -- hooks -----------------------------------------------------------------------

    def _all_instances(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> AllInstances:
        device = options.torch_device()
        n_classes = len(candidates.classes) + 1
        self.draws_ = stream(seed, "draws").standard_normal((self.draws, n_classes))
        self._fit_scaling(bags)
        x = self._scaled(bags.rows(slice(None)))
        points, few = None, None
        if len(x) > self.exact_up_to:
            centres = inducing_points(x, self.inducing, seed)
            points = torch.tensor(centres, device=device)
            if self.regression == "exact":
                few = torch.tensor(self._few(bags, seed), device=device)
        sets, w = with_negative(
            torch.tensor(candidates.matrix, device=device),
            torch.tensor(candidates.initial_weights(), device=device),
            Segments.of(torch.tensor(bags.sizes, device=device)),
        )
        return AllInstances(torch.tensor(x, device=device), points, few, sets, w)

    def _few(self, bags: Bags, seed: int) -> npt.NDArray[np.int64]:
        """Return the instances that the prior is learnt on, those of random bags."""
        if self.disambiguation == "posterior":
            raise MiplError(
                f"labels of MIPLGP that follow the posterior need a regression in each "
                f"iteration, and {bags.n_instances} instances are more than "
                f"exact_up_to={self.exact_up_to}; give regression='inducing', or "
                "disambiguation='prior'."
            )
        order = stream(seed, "prior").permutation(len(bags))
        rows = [np.arange(*bags.offsets[[i, i + 1]]) for i in order]
        return np.sort(np.concatenate(rows)[: max(1, self.exact_up_to)])

    def _loss(
        self, out: Regression, batch: AllInstances, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        targets = self._targets(out, w, clock)
        targets = batch.part(targets)
        return {"loss": -out.evidence(targets).mean() / len(targets)}

    def _update(
        self, out: Regression, batch: AllInstances, w: Tensor, clock: Clock
    ) -> Tensor:
        """Return labels that follow the processes: the paper's, after the step.

        The program's follow what the constants were before it.
        """
        if self.disambiguation == "posterior":
            f = out.fitted(self._targets(out, w, clock))
        else:
            f = out.gp.constants.detach().expand_as(w)
        return softmax_on(f, batch.sets)

    def _updates_late(self) -> bool:
        return self.disambiguation == "posterior"

    def _targets(self, out: Regression, w: Tensor, clock: Clock) -> Tensor:
        """Return what the evidence is of, (N, q + 1)."""
        if self.disambiguation == "prior" and clock.epoch > 1:
            w = tied(w, out.gp.constants)  # The program does not detach it.
        return lognormal(w + self.epsilon)[0]

    def _final_targets(self, batch: AllInstances, w: Tensor) -> Tensor:
        """Return what predictions regress on: in the program, the first targets."""
        first = self.disambiguation == "prior"
        return lognormal((batch.first if first else w) + self.epsilon)[0]

    def _variances(self, batch: AllInstances, w: Tensor) -> Tensor:
        """Return the noise of the targets: in the program, that of the first ones."""
        first = self.disambiguation == "prior"
        return lognormal((batch.first if first else w) + self.epsilon)[1]

    def _default_training(self) -> Training:
        return Training(epochs=50, lr=0.1, dtype="float64")
