"""OneVsRest: a two-class bag method for many classes and candidate sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted
from torch import nn

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import Diverged, MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.saving.fingerprint import fingerprint_around
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.methods.wrappers.learners import Learners, fit_learners, in_groups, repeated
from mipl.methods.wrappers.together import can_join, refuse_warm_start
from mipl.nn.traced_parts import CalibratedPart, LearnersPart
from mipl.parameters import anything, choice, learnt, processes
from mipl.training.checkpoint import Checkpoint
from mipl.training.progress import CallbackSupportMixin, EpochReports, with_callbacks

Integers = npt.NDArray[np.int64]


class OneVsRest(
    CallbackSupportMixin,  # type: ignore[misc]
    BagClassifier,
):
    """One two-class learner per class, as the MIPLMA paper degrades MIPL to MIL.

    In training a bag is repeated once with each of its candidates; for the learner of a
    class its copy with that label is positive, and all others are negative. So for sets
    of two a bag with the class counts once on either side, and learners rarely say yes.
    Weights of candidates are not used: each counts once.
    A prediction follows three rules:

    1. one learner says yes: its class;
    2. several do: the class of the surest of them;
    3. none does: the class "with the lowest prediction confidence".

    Where the confidence of rule 3 is that of a learner in its own no, the class of the
    least sure no has the largest probability, and all rules together take the largest.
    Read by the letter, the class with the smallest probability is taken, which is worse
    than chance; that reading is here for comparison. Probabilities are those of the
    learners, scaled to sum to one; after rule 3 by the letter, those of their noes.

    Attributes
    ----------
    estimators_ : list of BagClassifier or None
        The learner of each class; None where there was nothing to learn, because no bag
        has the class or every copy has: ``constant_`` holds the probability then.

    Examples
    --------
    >>> from mipl import VGPMIL, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = OneVsRest(VGPMIL()).fit(train.bags, train.candidates)
    >>> len(model.estimators_) == len(train.classes)
    True
    >>> 0 <= model.all_negative_rate(test.bags) <= 1
    True
    """

    estimator: Any = anything(
        "A method of two classes, or of any number. It is cloned for each class; the "
        "fitted ones are ``estimators_``.",
        "BagClassifier",
    )
    all_negative: str = choice(
        "Reading of rule 3: the least sure no, or the smallest probability.",
        ("least_confident_negative", "lowest_score"),
        default="least_confident_negative",
    )
    duplication: str = choice(
        "Whether a bag counts once with each of its candidates (paper), or once for "
        "each learner: positive where its class is a candidate.",
        ("replicate", "membership"),
        default="replicate",
    )
    n_jobs: int | None = processes(
        "Number of processes that train learners; -1 for as many as processors.",
        default=None,
    )

    estimators_: list[BagClassifier | None] = learnt()
    constant_: Floats = learnt()  # (k,)

    # -- fit -------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        checkpoint: Checkpoint | str | Path | None = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        Callbacks hear of every learner that is ready; a wish to stop is not heard,
        because every class needs its own. Small networks are fitted up to eight at a
        time, in one process, and are ready together. Callbacks that scikit-learn passes
        on to parts of an estimator, as its ``ProgressBar``, hear of the epochs of each
        learner, too.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        checkpoint : Checkpoint or path, optional
            Where to keep the learners that are ready, and to go on from if it is there.
        """
        self._refuse(refused)
        return self._learn(X, y, checkpoint=Checkpoint.of(checkpoint))

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        sets, names = candidates.matrix, candidates.classes.tolist()
        copies = [self.copies(sets, c) for c in range(sets.shape[1])]
        learnt = [c for c, counts in enumerate(copies) if counts.any(axis=0).all()]
        self.constant_ = np.array([float(not one[:, 0].any()) for one in copies])
        learners = Learners(self._learner, len(copies), {})
        if checkpoint is not None:
            facts = fingerprint_around(self, bags, candidates)
            learners.keep_in(checkpoint, facts)
        self.estimators_ = learners.of_each_class()
        groups = self._groups(bags, learnt, copies)
        groups = [group for group in groups if not set(group) <= set(learners.models)]
        left = [c for group in groups for c in group]
        reports = EpochReports(self, len(left), bags, candidates, task="learner")
        # All before the first is sent to a process, where they must not change.
        tasks = {c: reports.part() for c in left}
        jobs = (
            delayed(fit_learners)(
                self.estimator,
                bags,
                {names[c]: copies[c] for c in group},
                [tasks[c] for c in group] if reports.passes_on() else (),
            )
            for group in groups
        )
        ready = Parallel(self.n_jobs, return_as="generator")(jobs)
        try:
            for group, models in zip(groups, ready, strict=True):
                learners.add(dict(zip(group, models, strict=True)))
                for c in group:
                    self.estimators_[c] = learners.models[c]
                    figures = {"learner": left.index(c) + 1.0}
                    reports.ended(tasks[c], figures, dict(vars(self)))
        except (KeyboardInterrupt, Diverged):
            self._forget()  # Without all its learners it cannot decide.
            raise
        reports.finish()

    def _learner(self, c: int) -> BagClassifier:
        """Return the learner of a class, unfitted: all are the same."""
        learner: BagClassifier = clone(self.estimator)
        return learner

    def _groups(
        self, bags: Bags, learnt: list[int], copies: Sequence[Integers]
    ) -> list[list[int]]:
        """Return the classes in groups whose learners are fitted at once."""
        one = repeated(bags[:1], np.ones((1, 2), dtype=np.int64))
        rows = int(bags.sizes @ copies[0].sum(axis=1))  # The same for all classes.
        joined = can_join(self.estimator, *one)
        return in_groups(learnt, rows * bags.n_features if joined else None)

    def copies(self, sets: npt.NDArray[np.bool_], c: int) -> Integers:
        """Return how often each bag is negative and positive for a class, (m, 2).

        Examples
        --------
        >>> sets = np.array([[True, True, True], [False, True, False]])
        >>> OneVsRest(None).copies(sets, 0).tolist()
        [[2, 1], [1, 0]]
        >>> OneVsRest(None, duplication="membership").copies(sets, 0).tolist()
        [[0, 1], [1, 0]]
        """
        positive = sets[:, c].astype(np.int64)
        total = sets.sum(axis=1) if self.duplication == "replicate" else 1
        return np.stack([total - positive, positive], axis=1)

    # -- predictions -----------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        p = self._answers(bags)
        if self.all_negative == "lowest_score":
            asked = np.array([model is not None for model in self.estimators_])
            p = np.where(_none_positive(p)[:, None], asked * (1 - p), p)
        p = p + np.finfo(np.float64).tiny  # All may be zero.
        found: Floats = p / p.sum(axis=1, keepdims=True)
        return found

    def all_negative_bags(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell of which bags every learner says no: rule 3 decides, (m,)."""
        check_is_fitted(self)
        return _none_positive(self._answers(self._as_bags(X)))

    def all_negative_rate(self, X: Any) -> float:
        """Return the share of bags of which every learner says no."""
        return float(self.all_negative_bags(X).mean())

    @available_if(lambda self: hasattr(self.estimator, "predict_instances"))  # type: ignore[untyped-decorator]
    def predict_instances(self, X: Any) -> Floats:
        """Return what the learner of each class says of each instance, (N, k)."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        found = np.tile(self.constant_, (bags.n_instances, 1))  # (N, k)
        for c, model in enumerate(self.estimators_):
            if model is not None:
                found[:, c] = model.predict_instances(bags)[:, 1]
        return found

    def _answers(self, bags: Bags) -> Floats:
        """Return the probability of yes of each learner, (m, k)."""
        p = np.tile(self.constant_, (len(bags), 1))  # (m, k)
        for c, model in enumerate(self.estimators_):
            if model is not None:
                p[:, c] = model.predict_proba(bags)[:, 1]
        return np.nan_to_num(p)

    # -- input -----------------------------------------------------------------------

    def _check_arguments(self) -> None:
        super()._check_arguments()
        own = isinstance(self.estimator, BagClassifier)
        if not own or isinstance(self.estimator, OneVsRest):
            raise MiplError(
                "estimator of OneVsRest must be a bag method, such as VGPMIL(); got "
                f"{self.estimator!r}."
            )
        self.estimator._check_arguments()
        refuse_warm_start(self.estimator)

    # -- graphs ----------------------------------------------------------------------

    def _as_graph(self) -> nn.Module:
        learners: dict[int, nn.Module] = {
            c: CalibratedPart(model._as_graph(), float(model.temperature_))
            for c, model in enumerate(self.estimators_)
            if model is not None
        }
        return LearnersPart(
            learners,
            self.constant_.tolist(),
            self.all_negative == "lowest_score",
            hasattr(self, "predict_instances"),
        )

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        arrays["constant"] = self.constant_
        learnt = {c: m for c, m in enumerate(self.estimators_) if m is not None}
        more, told = Learners(self._learner, len(self.classes_), learnt).state()
        return arrays | more, facts | told

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        k = len(self.classes_)
        self.constant_ = stored.array("constant", (k,), np.float64)
        learners = Learners(self._learner, k, {})
        learners.restore(stored)
        self.estimators_ = learners.of_each_class()


def _none_positive(p: Floats) -> npt.NDArray[np.bool_]:
    """Tell of which bags every learner says no, (m,)."""
    return np.asarray((p <= 0.5).all(axis=1))
