"""FittedProcesses: what Gaussian processes on instances can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from pydantic import PositiveInt
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.scaling import standardisation
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.parameters import choice, flag, learnt, number, part
from mipl.training.options import Training
from mipl.training.settings import torch_settings

if TYPE_CHECKING:
    from mipl.nn.gp import ClasswiseGP, RegressionSummary

_ROWS = 256  # Instances predicted at once: each has draws times classes numbers.


class FittedProcesses(BagClassifier, kw_only=True):
    """Predictions of a process per class and one for negatives, and its files.

    A bag has the class of its surest instance.
    """

    normalise: str = choice(
        "Whether probabilities are taken over all classes and the negative one is then "
        "left out (paper), or it is left out first (program).",
        ("real", "all"),
        default="real",
    )
    mean: str = choice(
        "Prior mean: zero (paper), or learnt for each class (program).",
        ("constant", "zero"),
        default="constant",
    )
    length: float | None = number(
        "Length of the kernel; None learns it (program).", default=None, above=0
    )
    extra_noise: bool = flag(
        "Whether a noise per class is learnt beside sigma2 (program).", default=True
    )
    nu: float = choice(
        "Smoothness of the kernel; 0.5 for Newsgroups-MIPL in the paper.",
        (0.5, 1.5, 2.5),
        default=2.5,
    )
    scaling: str = choice(
        '"auto" standardises features, unless they are images, and makes the typical '
        "distance of two instances one, the unit of length.",
        ("auto", "standard", "none"),
        default="auto",
    )
    predict_by: str = choice(
        "Whether probabilities are averaged over joint draws of the processes "
        "(program), or those of the posterior means, for which no variances are kept.",
        ("draws", "means"),
        default="draws",
    )
    training: Training | None = part(
        "Of it epochs (iterations), lr, schedule, device and threads count; the "
        "optimiser is Adam, and all instances make one step.",
        Training,
        default=None,
    )

    gp_: ClasswiseGP = learnt()
    summary_: RegressionSummary = learnt()
    draws_: Floats = learnt()  # (draws, k + 1) standard normal numbers

    def _prior(self, n_classes: int) -> ClasswiseGP:
        prior: ClasswiseGP = import_gp().ClasswiseGP(
            n_classes,
            nu=self.nu,
            length=self.length,
            mean=self.mean,
            extra_noise=self.extra_noise,
        )
        return prior

    def _fit_scaling(self, bags: Bags) -> None:
        self.shift_, self.scale_, variances = standardisation(bags, self.scaling)
        if self.scaling == "auto" and variances.sum() > 0:
            # Two instances are sqrt(2 sum of variances) apart, on average.
            self.scale_ = self.scale_ * np.sqrt(2 * variances.sum())

    def _scaled(self, rows: Floats) -> Floats:
        return (rows - self.shift_) / self.scale_

    # -- predictions -----------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
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
        points = self.summary_.points
        draws = torch.tensor(self.draws_, device=points.device)  # (draws, q + 1)
        with torch_settings(self._options().threads), torch.no_grad():
            for first in range(0, bags.n_instances, _ROWS):
                rows = self._scaled(bags.rows(slice(first, first + _ROWS)))
                x = torch.tensor(rows, device=points.device)
                f = self._drawn(x, draws)  # (n, draws, q + 1)
                theta[first : first + _ROWS] = self._expected(f).cpu().numpy()
        return theta

    def _drawn(self, x: Tensor, draws: Tensor) -> Tensor:
        """Return draws of the processes at some rows, or only their means."""
        if self.predict_by == "means":
            return self.gp_.means(x, self.summary_).unsqueeze(1)
        mean, variance = self.gp_.marginals(x, self.summary_)  # (n, q + 1)
        spread = variance.clamp_min(0).sqrt()
        return mean.unsqueeze(1) + spread.unsqueeze(1) * draws

    def _expected(self, f: Tensor) -> Tensor:
        """Return the mean over draws of the real classes' probabilities."""
        if self.normalise == "real":
            return f[..., :-1].softmax(dim=2).mean(dim=1)
        return f.softmax(dim=2).mean(dim=1)[:, :-1]

    def _options(self) -> Training:
        self.check_parameters("training")
        return self._default_training() if self.training is None else self.training

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        for name, table in vars(self.summary_).items():
            if table is not None:
                arrays[name] = table.cpu().numpy()
        for name, value in self.gp_.named_parameters():
            arrays[f"gp.{name}"] = value.detach().cpu().numpy()
        for name in ("label_weights", "shift", "scale", "draws"):
            arrays[name] = getattr(self, f"{name}_")
        return arrays, {**facts, "history": self.history_, "n_iter": self.n_iter_}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        d, k = self.n_features_in_, len(self.classes_)
        self.history_ = stored.fact("history", list[dict[str, float]])
        self.n_iter_ = stored.fact("n_iter", PositiveInt)
        self.label_weights_ = stored.array("label_weights", (None, k), np.float64)
        self.shift_ = stored.array("shift", (d,), np.float64)
        self.scale_ = stored.array("scale", (d,), np.float64)
        self.draws_ = stored.array("draws", (None, k + 1), np.float64)
        points = stored.array("points", (None, d), np.float64)
        n = len(points)
        tables = {
            "points": points,
            "weights": stored.array("weights", (k + 1, n), np.float64),
        }
        if stored.holds("centres"):
            tables["centres"] = stored.array("centres", (None, d), np.float64)
            n = len(tables["centres"])
        if self.predict_by == "draws":
            tables["precision"] = stored.array("precision", (k + 1, n, n), np.float64)
        self.summary_ = import_gp().RegressionSummary(
            **{name: torch.from_numpy(table) for name, table in tables.items()}
        )
        self.gp_ = self._prior(k + 1)
        with torch.no_grad():
            for name, value in self.gp_.named_parameters():
                given = stored.array(f"gp.{name}", tuple(value.shape), np.float64)
                value.copy_(torch.from_numpy(given))


def import_gp() -> Any:
    """Import what needs gpytorch when it is needed."""
    from mipl.nn import gp  # noqa: PLC0415

    return gp
