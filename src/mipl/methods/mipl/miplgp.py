"""MIPLGP: Gaussian processes on instances with Dirichlet labels (SCIS 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.scaling import standardisation
from mipl.errors import MiplError
from mipl.methods.bases.base import Floats
from mipl.methods.bases.gaussian import (
    AllInstances,
    Few,
    GaussianClassifier,
    ProcessFit,
    Regression,
    import_gp,
)
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.inducing import inducing_points
from mipl.nn.segments import Segments
from mipl.objectives import lognormal, softmax_on, tied, with_negative
from mipl.parameters import choice, integer, learnt, number
from mipl.seeds import stream
from mipl.training.options import Training
from mipl.training.settings import torch_settings
from mipl.training.state import Clock, TrainingState

if TYPE_CHECKING:
    from mipl.nn.gp import Observations, Summary

_ROWS = 256  # Instances predicted at once: each has draws times classes numbers.


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
    of so many, and conjugate gradients then regress on all instances, equal ones
    counted once. ``regression="neighbours"`` regresses, with this prior, on the
    instances nearest to each new one: no fit on all, more work per prediction.
    ``regression="inducing"`` lets centres of the instances, found by k-means, stand for
    them (Titsias's bound), for kernels that are long.

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
    normalise: str = choice(
        "Whether probabilities are taken over all classes and the negative one is then "
        "left out (paper), or it is left out first (program).",
        ("real", "all"),
        default="real",
    )
    draws: int = integer("Monte-Carlo draws of theta.", default=512, at_least=1)
    scaling: str = choice(
        '"auto" standardises features, unless they are images, and makes the typical '
        "distance of two instances one, the unit of length.",
        ("auto", "standard", "none"),
        default="auto",
    )
    regression: str = choice(
        "On all instances, on those nearest to each new one, or on inducing points "
        "that stand for all.",
        ("exact", "neighbours", "inducing"),
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
    neighbours: int = integer(
        "Number of nearest instances, for that regression.", default=64, at_least=1
    )
    memory: float = number(
        "Gigabytes that the covariance of all instances may take; where it would take "
        "more, it is computed anew in each iteration.",
        default=6.0,
        at_least=0,
    )

    draws_: Floats = learnt()  # (draws, k + 1) standard normal numbers

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

    # -- instances and their labels --------------------------------------------------

    def _all_instances(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> AllInstances:
        device = options.torch_device()
        n_classes = len(candidates.classes) + 1
        self.draws_ = stream(seed, "draws").standard_normal((self.draws, n_classes))
        self._fit_scaling(bags)
        rows = self._scaled(bags.rows(slice(None)))
        x = torch.tensor(rows, device=device)
        points, few = None, None
        if len(x) > self.exact_up_to:
            if self.regression != "neighbours":
                centres = inducing_points(rows, self.inducing, seed)
                points = torch.tensor(centres, device=device)
            if self.regression != "inducing":
                some = torch.tensor(self._few(bags, seed), device=device)
                few = Few(some, import_gp().DistinctRows.among(x))
        sets, w = with_negative(
            torch.tensor(candidates.matrix, device=device),
            torch.tensor(candidates.initial_weights(), device=device),
            Segments.of(torch.tensor(bags.sizes, device=device)),
        )
        return AllInstances(x, points, few, sets, w)

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

    def _fit_scaling(self, bags: Bags) -> None:
        self.shift_, self.scale_, variances = standardisation(bags, self.scaling)
        if self.scaling == "auto" and variances.sum() > 0:
            # Two instances are sqrt(2 sum of variances) apart, on average.
            self.scale_ = self.scale_ * np.sqrt(2 * variances.sum())

    def _scaled(self, rows: Floats) -> Floats:
        return (rows - self.shift_) / self.scale_

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

    # -- all instances, once the prior is learnt -------------------------------------

    def _prepare(self, state: TrainingState, batch: AllInstances) -> None:
        """Make room for conjugate gradients."""
        if batch.few is not None and self.regression == "exact":
            classes, rows = batch.sets.shape[1], batch.few.distinct.x
            conjugate = import_gp().ConjugateRegression
            state.own = conjugate.blank(classes, len(rows), rows.device)

    def _regress_on_all(self, fit: ProcessFit, seen: Observations) -> Summary:
        gp = import_gp()
        if self.regression == "neighbours":
            nearest: Summary = gp.NearestObservations.of(seen, self.neighbours)
            return nearest
        given = (fit.gp, seen, fit.batch.points, self.memory, fit.state.own)
        return fit.iterated(gp.ConjugateRegression(*given))

    # -- predictions -----------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        """Return what the surest instance of a bag says of each class."""
        theta: Floats = np.maximum.reduceat(
            self._instance_proba(bags), bags.offsets[:-1]
        )
        # A bag that is surely negative has almost nothing to share out.
        theta = theta + np.finfo(np.float64).tiny
        p: Floats = theta / theta.sum(axis=1, keepdims=True)
        return p

    def predict_instances(self, X: Any) -> Floats:
        """Return the probability of each real class for each instance, (N, k).

        Where they are taken over all classes, what is missing to one is that of the
        negative class.
        """
        check_is_fitted(self)
        return self._instance_proba(self._as_bags(X))

    def _instance_proba(self, bags: Bags) -> Floats:
        theta = np.empty((bags.n_instances, len(self.classes_)))
        device = self.summary_.points.device
        with torch_settings(self._options().threads), torch.no_grad():
            for first in range(0, bags.n_instances, _ROWS):
                rows = self._scaled(bags.rows(slice(first, first + _ROWS)))
                f = self._drawn(torch.tensor(rows, device=device))
                theta[first : first + _ROWS] = self._expected(f).cpu().numpy()
        return theta

    def _drawn(self, x: Tensor) -> Tensor:
        """Return draws of the processes at some rows, or only their means.

        All instances have the same normal numbers: theta of an instance is an
        expectation over its own marginals, whatever joins it to the others.
        """
        if self.predict_by == "means":
            return self.summary_.means(self.gp_, x).unsqueeze(1)  # (n, 1, q + 1)
        mean, variance = self.summary_.marginals(self.gp_, x)  # (n, q + 1)
        spread = variance.clamp_min(0).sqrt()
        draws = torch.tensor(self.draws_, device=x.device)  # (draws, q + 1)
        return mean.unsqueeze(1) + spread.unsqueeze(1) * draws  # (n, draws, q + 1)

    def _expected(self, f: Tensor) -> Tensor:
        """Return the mean over draws of the real classes' probabilities."""
        if self.normalise == "real":
            return f[..., :-1].softmax(dim=2).mean(dim=1)
        return f.softmax(dim=2).mean(dim=1)[:, :-1]

    def _default_training(self) -> Training:
        return Training(epochs=50, lr=0.1, dtype="float64")

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        names = ["shift", "scale", *(["draws"] if self.predict_by == "draws" else [])]
        return arrays | {name: getattr(self, f"{name}_") for name in names}, facts

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        d, k = self.n_features_in_, len(self.classes_)
        self.shift_ = stored.array("shift", (d,), np.float64)
        self.scale_ = stored.array("scale", (d,), np.float64)
        if stored.holds("draws"):  # Earlier versions kept them in any case.
            self.draws_ = stored.array("draws", (None, k + 1), np.float64)

    def _stored_summary(self, stored: Stored) -> Summary:
        if not stored.holds("targets"):
            return super()._stored_summary(stored)
        d, c = self.n_features_in_, len(self.classes_) + 1
        points = stored.array("points", (None, d), np.float64)
        tables = [points] + [
            stored.array(name, (len(points), c), np.float64)
            for name in ("targets", "noise")
        ]
        gp = import_gp()
        seen = gp.Observations(*map(torch.from_numpy, tables))
        nearest: Summary = gp.NearestObservations.of(seen, self.neighbours)
        return nearest
