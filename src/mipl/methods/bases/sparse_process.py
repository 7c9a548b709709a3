"""SparseProcessClassifier: two-class methods with one sparse Gaussian process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import PositiveFloat, PositiveInt
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from mipl.data.bags import BLOCK, Bags
from mipl.data.blocks import Block, blocks
from mipl.data.candidates import Candidates
from mipl.data.scaling import standardisation
from mipl.errors import BadFile, MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.inducing import inducing_points, some_rows
from mipl.nn.one_thread import one_thread
from mipl.nn.sparse_gp import InducingPosterior, SparsePrior
from mipl.parameters import COUNT, choice, integer, learnt, number, seed
from mipl.seeds import as_seed, stream_seed
from mipl.training.progress import CallbackSupportMixin, EpochReports, with_callbacks

Integers = npt.NDArray[np.int64]

_TRACE = 1e-12  # Of a variance, relative to the largest.


class SparseProcessClassifier(
    CallbackSupportMixin,  # type: ignore[misc]
    BagClassifier,
    kw_only=True,
):
    """Base of the methods whose evidence for the second class is a Gaussian process.

    It scales the features and places the inducing points: centres of the instances of
    negative and of positive bags, half of the number each. A bag with both candidates
    is repeated, once with each. A leaf overrides two hooks: ``_begin`` a state, and
    take a ``_step``, which moves ``posterior_`` and returns figures. Unless it says
    otherwise, a bag is as positive as its surest instance.
    """

    inducing: int = integer(
        "Number of inducing points, at most.", default=50, at_least=2
    )
    iterations: int = integer("Rounds.", default=10, at_least=1, bearable=COUNT)
    length: float | None = number(
        "Length of the kernel; by default its square is the number of features times "
        "their typical variance, which is 1 after standardisation. It decides more "
        "than all else: with 1, the programs' default, next to nothing is learnt.",
        default=None,
        at_least=1e-100,  # Beyond, squares are zero or infinite.
        at_most=1e100,
    )
    variance: float = number(
        "Of the kernel.", default=1.0, at_least=1e-12, at_most=1e12
    )
    jitter: float = number(
        "Added to the diagonal of K_zz, relative to variance.",
        default=1e-6,
        at_least=0,
        at_most=1,
    )
    precision_jitter: float = number(
        "Added to the diagonal of S^-1; nothing needs it, but the program has 1e-8.",
        default=0.0,
        at_least=0,
    )
    scaling: str = choice(
        '"auto" standardises features, unless they are images.',
        ("auto", "standard", "none"),
        default="auto",
    )
    random_state: Any = seed("Of all that is drawn; None is 0.", default=None)

    prior_: SparsePrior = learnt()
    posterior_: InducingPosterior = learnt()

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> Any:
        raise NotImplementedError

    def _step(self, state: Any) -> dict[str, float]:
        raise NotImplementedError

    def _settled(self) -> bool:
        """Tell whether more iterations would change next to nothing."""
        return False

    @property
    def mean_(self) -> Floats:
        """Posterior mean of the process at the inducing points, (M,)."""
        return self.prior_.values(self.posterior_)[0]

    @property
    def covariance_(self) -> Floats:
        """Posterior covariance of the process at the inducing points, (M, M)."""
        return self.prior_.values(self.posterior_)[1]

    # -- fit -------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, copies: Any = None, **refused: Any) -> Self:
        """Learn from bags and their candidate sets, of two classes.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, 2) matrix, a list of sets of class names, or 1-D labels (sets of one).
        copies : (m, 2) whole numbers, optional
            How often each bag counts with each label; by default once with each of its
            candidates.
        """
        self._refuse(refused)
        return self._learn(X, y, copies=copies)

    def _fit(self, bags: Bags, candidates: Candidates, copies: Any = None) -> None:
        copies = self._checked_copies(candidates, copies)
        seed = as_seed(self.random_state)
        self.history_: list[dict[str, float]] = []
        try:
            with one_thread():
                self._fit_scaling(bags)
                self._place(self._centres(bags, copies, seed))
                self._iterate(self._begin(bags, copies, seed), bags, candidates)
        except KeyboardInterrupt:
            if not self.history_:
                self._forget()
            raise

    def _iterate(self, state: Any, bags: Bags, candidates: Candidates) -> None:
        reports = EpochReports(self, self.iterations, bags, candidates)
        for done in range(1, self.iterations + 1):
            figures = self._step(state)
            self.history_.append({"epoch": float(done), **figures})
            self.n_iter_ = done
            if reports.epoch(self.history_[-1], dict(vars(self))) or self._settled():
                break
        reports.finish()

    def _fit_scaling(self, bags: Bags) -> None:
        self.shift_, self.scale_, variances = standardisation(bags, self.scaling)
        # Of a constant feature rounding may leave a trace.
        varying = variances[variances > _TRACE * variances.max()]
        typical = float(varying.mean()) if len(varying) else 1.0
        self.length_ = float(self.length or np.sqrt(bags.n_features * typical))

    def _centres(self, bags: Bags, copies: Integers, seed: int) -> Floats:
        """Return centres of the instances of negative and of positive bags, (M, d)."""
        half, found = self.inducing // 2, []
        for label, n in enumerate((self.inducing - half, half)):
            pool = np.flatnonzero((copies[:, label] > 0)[bags.bag_of_instance])
            own = stream_seed(seed, "inducing", label)
            few = np.sort(pool[some_rows(len(pool), own)])
            found.append(inducing_points(self._scaled(bags.rows(few)), n, own))
        return np.unique(np.concatenate(found), axis=0)

    def _place(self, points: Floats) -> None:
        self.prior_ = SparsePrior(points, self.length_, self.variance, self.jitter)

    def _scaled(self, rows: npt.NDArray[Any]) -> Floats:
        scaled: Floats = (rows.astype(np.float64) - self.shift_) / self.scale_
        return scaled

    def _projections(self, bags: Bags) -> Iterator[tuple[Block, Floats, Floats]]:
        """Give projections, (M, n), and unseen variances, (n,), some at a time."""
        width = max(bags.n_features, len(self.prior_.points))
        for block in blocks(bags, max(1, BLOCK // width)):
            yield block, *self.prior_.project(self._scaled(block.rows))

    # -- predictions -----------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        return _both(self._bag_proba(bags))

    def _bag_proba(self, bags: Bags) -> Floats:
        """Return the probability of the second class, (m,)."""
        p: Floats = np.maximum.reduceat(self._instance_proba(bags), bags.offsets[:-1])
        return p

    def predict_instances(self, X: Any) -> Floats:
        """Return what the process says of each instance alone, (N, 2)."""
        check_is_fitted(self)
        return _both(self._instance_proba(self._as_bags(X)))

    def _instance_proba(self, bags: Bags) -> Floats:
        f = [self.posterior_.means(v) for _, v, _ in self._projections(bags)]
        p: Floats = expit(np.concatenate(f))
        return p

    # -- input -----------------------------------------------------------------------

    def _checked_copies(self, candidates: Candidates, copies: Any) -> Integers:
        name, k = type(self).__name__, len(candidates.classes)
        if k > 2:
            raise MiplError(
                f"Only binary classification is supported by {name}, and there are {k} "
                f"classes; make one learner of each class by OneVsRest({name}())."
            )
        if copies is None:
            copies = candidates.matrix
        copies = np.asarray(copies)
        whole = copies.dtype.kind in "bui" and copies.shape == candidates.shape
        if not whole or (copies < 0).any() or not copies.any(axis=1).all():
            raise MiplError(
                f"copies must be whole numbers >= 0 of shape {candidates.shape}, at "
                f"least one copy of each bag; got {copies.dtype} of shape "
                f"{copies.shape}."
            )
        if k < 2 or not copies.any(axis=0).all():
            known = candidates.classes[copies.any(axis=0)].tolist()
            raise MiplError(
                f"{name} needs bags of two classes; there is only one class, "
                f"{known[0]!r}."
            )
        counts: Integers = copies.astype(np.int64)
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        arrays |= {
            "shift": self.shift_,
            "scale": self.scale_,
            "points": self.prior_.points,
            "mean": self.posterior_.mean,
            "root": self.posterior_.root,
        }
        own = {"history": self.history_, "n_iter": self.n_iter_, "length": self.length_}
        return arrays, {**facts, **own}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        d = self.n_features_in_
        self.history_ = stored.fact("history", list[dict[str, float]])
        self.n_iter_ = stored.fact("n_iter", PositiveInt)
        self.length_ = stored.fact("length", PositiveFloat)
        self.shift_ = stored.array("shift", (d,), np.float64)
        self.scale_ = stored.array("scale", (d,), np.float64)
        self._place(stored.array("points", (None, d), np.float64))
        n = len(self.prior_.points)
        mean = stored.array("mean", (n,), np.float64)
        root = stored.array("root", (n, n), np.float64)
        if not (root.diagonal() > 0).all():
            raise BadFile("its covariance is damaged.")
        self.posterior_ = InducingPosterior(mean, root)


def _both(p: Floats) -> Floats:
    return np.stack([1 - p, p], axis=1)
