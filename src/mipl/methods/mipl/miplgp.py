"""MIPLGP: Gaussian processes on instances with Dirichlet labels (SCIS 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.methods.bases.gaussian import AllInstances, GaussianClassifier, Regression
from mipl.methods.saving.arguments import check_optional
from mipl.nn.inducing import inducing_points
from mipl.nn.segments import Segments
from mipl.objectives import lognormal, softmax_on, tied, with_negative
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

    Up to ``exact_up_to`` instances the regression is exact. Above, time and memory
    would grow with the cube and the square of their number; then ``inducing`` centres
    of the instances, found by k-means and kept, stand for them (Titsias's bound).

    Parameters
    ----------
    disambiguation : {"prior", "posterior"}
        What moves the labels: the processes' mean at each instance (paper), or their
        prior mean (program), which then leaves targets and noise of predictions alone.
    normalise : {"real", "all"}
        Whether probabilities are taken over all classes and the negative one is then
        left out (paper), or it is left out first (program).
    mean : {"constant", "zero"}
        Prior mean: zero (paper), or learnt for each class (program).
    length : float or None
        Length of the kernel; None learns it (program).
    extra_noise : bool
        Whether a noise per class is learnt beside sigma2 (program).
    nu : {0.5, 1.5, 2.5}
        Smoothness of the kernel; 0.5 for Newsgroups-MIPL in the paper.
    epsilon : float
        The paper's eps.
    draws : int
        Monte-Carlo draws of theta.
    inducing, exact_up_to : int
        Number of inducing points, and up to how many instances none are used.
    scaling : {"auto", "standard", "none"}
        ``"auto"`` standardises features, unless they are images, and makes the typical
        distance of two instances one, the unit of ``length``.
    training : Training, optional
        Of it ``epochs`` (iterations), ``lr``, ``schedule``, ``device`` and ``threads``
        count; the optimiser is Adam, and all instances make one step.
    random_state : int, optional
        Of the draws and of the inducing points.

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

    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "disambiguation": ("prior", "posterior"),
        "normalise": ("real", "all"),
        "mean": ("constant", "zero"),
        "extra_noise": (False, True),
        "nu": (0.5, 1.5, 2.5),
        "scaling": ("auto", "standard", "none"),
    }
    _whole: ClassVar[tuple[str, ...]] = ("draws", "inducing", "exact_up_to")
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        "epsilon": (1e-12, 1.0),
        "draws": (1, None),
        "inducing": (1, None),
        "exact_up_to": (0, None),
    }

    def __init__(
        self,
        disambiguation: str = "prior",
        normalise: str = "real",
        mean: str = "constant",
        length: float | None = None,
        extra_noise: bool = True,
        nu: float = 2.5,
        epsilon: float = 1e-4,
        draws: int = 512,
        inducing: int = 200,
        exact_up_to: int = 1000,
        scaling: str = "auto",
        training: Training | None = None,
        random_state: Any = None,
    ) -> None:
        self.disambiguation = disambiguation
        self.normalise = normalise
        self.mean = mean
        self.length = length
        self.extra_noise = extra_noise
        self.nu = nu
        self.epsilon = epsilon
        self.draws = draws
        self.inducing = inducing
        self.exact_up_to = exact_up_to
        self.scaling = scaling
        self.training = training
        self.random_state = random_state

    @classmethod
    def paper(cls, **arguments: Any) -> Self:
        """Return the paper's equations; the scale of the kernel is still learnt."""
        preset = {"disambiguation": "posterior", "normalise": "all", "mean": "zero"}
        return cls(**{**preset, "length": 1.0, "extra_noise": False, **arguments})

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, with inducing points where it has none."""
        preset = {"disambiguation": "prior", "normalise": "real", "mean": "constant"}
        return cls(**{**preset, "length": None, "extra_noise": True, **arguments})

    # -- hooks -----------------------------------------------------------------------

    def _all_instances(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> AllInstances:
        device = options.torch_device()
        n_classes = len(candidates.classes) + 1
        self.draws_ = stream(seed, "draws").standard_normal((self.draws, n_classes))
        self._fit_scaling(bags)
        x = self._scaled(bags.rows(slice(None)))
        points = None
        if len(x) > self.exact_up_to:
            centres = inducing_points(x, self.inducing, seed)
            points = torch.tensor(centres, device=device)
        sets, w = with_negative(
            torch.tensor(candidates.matrix, device=device),
            torch.tensor(candidates.initial_weights(), device=device),
            Segments.of(torch.tensor(bags.sizes, device=device)),
        )
        return AllInstances(torch.tensor(x, device=device), points, sets, w)

    def _loss(
        self, out: Regression, batch: AllInstances, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        targets = self._targets(out, w, clock)
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

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_optional(self, "length")
