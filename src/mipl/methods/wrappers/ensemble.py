"""Ensemble: several fits of one method, each with a seed of its own, as one model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import NonNegativeInt
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted
from torch import nn

from mipl.data.bag_weights import bag_weights
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import BadFile, Diverged, MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.bases.fitted_network import scaled_attention
from mipl.methods.saving.fingerprint import fingerprint_around
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.methods.wrappers.learners import Learners, in_groups
from mipl.methods.wrappers.together import (
    can_join,
    fit_together,
    refuse_warm_start,
)
from mipl.nn.traced_parts import CalibratedPart, MeanPart
from mipl.parameters import anything, integer, learnt
from mipl.seeds import as_seed, stream_seed
from mipl.training.checkpoint import Checkpoint
from mipl.training.progress import (
    CallbackSupportMixin,
    EpochReports,
    passed_on,
    with_callbacks,
)


class Ensemble(
    CallbackSupportMixin,  # type: ignore[misc]
    BagClassifier,
):
    """Several fits of one method on the same bags, as one model.

    The members differ by their seeds alone, so by starting values, order of the bags
    and dropout. Probabilities, attention, scores of instances and label weights are the
    means of theirs; how far apart they are, ``predict_spread`` tells. The first member
    is what the estimator alone would become, the others have seeds derived from its
    seed: so an ensemble of three begins an ensemble of five. Small networks are trained
    together, on stacked parameters.

    Attributes
    ----------
    members_ : list of BagClassifier
    seeds_ : dict
        Of the first member, by the names of its arguments.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> one = MIPLMA(training=Training(epochs=20), random_state=0)
    >>> model = Ensemble(one, n=3).fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True
    >>> model.predict_spread(test.bags).shape == (len(test), len(train.classes))
    True
    """

    estimator: Any = anything(
        "A method that draws at random. It is cloned for each member; the fitted ones "
        "are ``members_``.",
        "BagClassifier",
    )
    n: int = integer("Number of members.", default=5, at_least=1)

    members_: list[BagClassifier] = learnt()
    seeds_: dict[str, int] = learnt()

    @property
    def label_weights_(self) -> Floats:
        """The mean of the members' label weights, (m, k), where they have any."""
        return _mean([member.label_weights_ for member in self.members_])

    # -- fit -------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        checkpoint: Checkpoint | str | Path | None = None,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        validation: Any = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        Callbacks hear of every member that is ready; a wish to stop is not heard. Those
        that scikit-learn passes on to parts of an estimator, as its ``ProgressBar``,
        hear of the epochs of each member, too.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        checkpoint : Checkpoint or path, optional
            Where to keep the members that are ready, and to go on from if it is there.
            Those that are trained together are ready together.
        sample_weight, class_weight, validation : optional
            As of the members, which are then fitted one after another, and refuse what
            they cannot do. They go with no checkpoint.
        """
        self._refuse(refused)
        given = {
            "sample_weight": sample_weight,
            "class_weight": class_weight,
            "validation": validation,
        }
        asked = {name: value for name, value in given.items() if value is not None}
        if asked and checkpoint is not None:
            raise MiplError(
                f"an ensemble with {' and '.join(asked)} keeps no checkpoints; leave "
                "checkpoint out."
            )
        return self._learn(X, y, checkpoint=Checkpoint.of(checkpoint), asked=asked)

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Checkpoint | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> None:
        asked = dict(asked or {})
        weighing = asked.get("sample_weight"), asked.get("class_weight")
        if bag_weights(*weighing, candidates) is None:
            # All count alike: members are trained together, as without weights.
            asked.pop("sample_weight", None)
            asked.pop("class_weight", None)
        given = self.estimator.get_params()
        self.seeds_ = {name: as_seed(given[name]) for name in _seeds(self.estimator)}
        members = Learners(self._member, self.n, {})
        if checkpoint is not None:
            facts = fingerprint_around(self, bags, candidates)
            members.keep_in(checkpoint, facts | {"seeds": self.seeds_})
        joined = not asked and can_join(self.estimator, bags[:1], candidates[:1])
        numbers = bags.n_instances * bags.n_features
        groups = in_groups(range(self.n), numbers if joined else None)
        groups = [group for group in groups if not set(group) <= set(members.models)]
        reports = EpochReports(self, sum(map(len, groups)), bags, candidates, "member")
        try:
            for group in groups:
                self._fit_group(group, members, bags, candidates, reports, asked)
        except (KeyboardInterrupt, Diverged):
            self._forget()  # It is as many members as it says.
            raise
        self.members_ = members.in_order()
        reports.finish()

    def _member(self, number: int) -> BagClassifier:
        """Return a member that is to be fitted, with a seed of its own."""
        seeds = (
            self.seeds_
            if number == 0
            else {
                name: stream_seed(seed, "member", number)
                for name, seed in self.seeds_.items()
            }
        )
        member: BagClassifier = clone(self.estimator).set_params(**seeds)
        return member

    def _fit_group(
        self,
        group: list[int],
        members: Learners,
        bags: Bags,
        candidates: Candidates,
        reports: EpochReports,
        asked: Mapping[str, Any] | None,
    ) -> None:
        """Fit these members together, and tell of each."""
        models = {i: self._member(i) for i in group}
        tasks = [reports.part() for _ in group]
        try:
            with passed_on(tasks if reports.passes_on() else (), [*models.values()]):
                if asked:
                    for model in models.values():
                        model.fit(bags, candidates, **asked)
                else:
                    problems = [(bags, candidates)] * len(group)
                    fit_together([*models.values()], problems)
        except Diverged as error:
            number, why = min(error.runs.items())
            raise Diverged(f"member {group[number] + 1} of {self.n}: {why}") from error
        members.add(models)
        for i, task in zip(group, tasks, strict=True):
            self.members_ = members.in_order()[: i + 1]
            reports.ended(task, {"member": i + 1.0}, dict(vars(self)))

    # -- predictions -----------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        return _mean(self._probas(bags))

    def _probas(self, bags: Bags) -> list[Floats]:
        return [member.predict_proba(bags) for member in self.members_]

    def predict_spread(self, X: Any) -> Floats:
        """Return how far the members are apart, (m, k).

        It is the standard deviation, over the members, of the probability of each class
        of each bag, before any calibration: 0 where they agree, or where one is alone.
        """
        check_is_fitted(self)
        spread: Floats = np.std(self._probas(self._as_bags(X)), axis=0)
        return spread

    @available_if(lambda self: hasattr(self.estimator, "attend"))  # type: ignore[untyped-decorator]
    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the members' mean attention of each instance, (N,).

        ``scale`` is "raw", "rank" (0 to 1 inside the bag) or "percentile" (share of all
        these instances with no more attention).
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        members: list[Any] = self.members_
        mean = _mean([member.attend(bags) for member in members])
        return scaled_attention(mean, bags.offsets, scale)

    @available_if(lambda self: hasattr(self.estimator, "predict_instances"))  # type: ignore[untyped-decorator]
    def predict_instances(self, X: Any) -> Floats:
        """Return the members' mean class scores of each instance, (N, k)."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        members: list[Any] = self.members_
        return _mean([member.predict_instances(bags) for member in members])

    # -- input -----------------------------------------------------------------------

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if not isinstance(self.estimator, BagClassifier):
            raise MiplError(
                "estimator of Ensemble must be a bag method, such as MIPLMA(); got "
                f"{self.estimator!r}."
            )
        self.estimator._check_arguments()
        refuse_warm_start(self.estimator)
        if not _seeds(self.estimator):
            raise MiplError(
                "estimator of Ensemble must draw at random, by a random_state; all "
                f"members of {self.estimator!r} would be the same."
            )

    def __sklearn_tags__(self) -> Any:
        inner = isinstance(self.estimator, BagClassifier)
        return get_tags(self.estimator) if inner else super().__sklearn_tags__()

    # -- graphs ----------------------------------------------------------------------

    def _as_graph(self) -> nn.Module:
        return MeanPart(
            [
                CalibratedPart(member._as_graph(), float(member.temperature_))
                for member in self.members_
            ]
        )

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        members = Learners(self._member, self.n, dict(enumerate(self.members_)))
        more, told = members.state()
        return arrays | more, {**facts, **told, "seeds": self.seeds_}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        self.seeds_ = stored.fact("seeds", dict[str, NonNegativeInt])
        if self.seeds_.keys() != set(_seeds(self.estimator)):
            raise BadFile("its seeds are not those of its estimator.")
        members = Learners(self._member, self.n, {})
        members.restore(stored)
        if len(members.models) < self.n:
            raise BadFile(
                f"it has {len(members.models)} members, and {self.n} are due."
            )
        self.members_ = members.in_order()
        for member in self.members_:
            same = member.classes_.tolist() == self.classes_.tolist()
            if not same or member.n_features_in_ != self.n_features_in_:
                raise BadFile("its members were not fitted on the same data.")


def _seeds(estimator: Any) -> list[str]:
    """Return the arguments that are seeds, also of estimators inside."""
    names = estimator.get_params()
    return [name for name in names if name.split("__")[-1] == "random_state"]


def _mean(values: list[npt.NDArray[Any]]) -> Floats:
    mean: Floats = np.mean(values, axis=0)
    return mean
