"""M3PL: maximum margin partial-label learning (MLJ 2017)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from mipl.data.candidates import Candidates
from mipl.methods.bases.base import Floats
from mipl.methods.bases.solved import SolvedClassifier, with_constant
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.objectives.assignment import Labels, assign, class_counts
from mipl.objectives.hinge import label_hinge
from mipl.parameters import COUNT, choice, integer, number, redeclared
from mipl.seeds import stream_seed

_FIRST = 1e-5  # The first C as a share of the last.
_DROP = 1e-4  # A smaller fall of the function ends the rounds of one C.
_NEXT_TO_NOTHING = 1e-9


class M3PL(SolvedClassifier):
    """Maximum margin partial-label learning.

    A multi-class support vector machine, whose labels are unknown inside the candidate
    sets. It is fitted to assigned labels; then the labels are assigned anew, so that
    the machine violates its margins least and each class has as many rows as the
    candidate sets let expect. The price of a violation grows from round to round, which
    keeps first assignments from lasting.

    ::

        min  1/2 ||W||^2 + C sum_i max(0, 1 - (s_i,y_i - max_{c != y_i} s_ic))
        y_i in S_i,   #{i: y_i = c} = n_c

    For each C the two steps follow one another, and the function never rises: the
    machine is scikit-learn's (Crammer and Singer's, with a bias that is penalised), the
    assignment a linear program (HiGHS). Where candidates cannot meet the counts n_c, as
    few rows as possible are too many or too few. The first labels are those that a
    least-squares fit of the candidate weights prefers.

    Memory grows with m k + m d; time with the number of machines, 29 or more, each of
    which takes the longer the larger C is. At most 6000 rows.

    Attributes
    ----------
    coef_ : (k, d + 1)
        W; the last column holds the biases.
    counts_ : (k,)
        n_c, the prior class counts.
    label_weights_ : (m, k)
        One for the assigned label.
    history_ : list of dict
        C and the function after each round.

    Notes
    -----
    Probabilities are softmax scores, not calibrated ones.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> sets = [{"elm", "oak"}, {"elm"}, {"oak"}, {"elm", "oak"}]
    >>> model = M3PL(c_max=1.0).fit(x, sets)
    >>> model.predict(x).tolist(), model.counts_.tolist()
    (['elm', 'elm', 'oak', 'oak'], [2, 2])

    References
    ----------
    Yu, Zhang: Maximum margin partial label learning. Machine Learning 2017.
    """

    c_max: float = number(
        "The last C; the first is 1e-5 of it.",
        default=0.01,
        at_least=1e-9,
        search=(0.01, 0.1, 1.0),
    )
    growth: float = number("Factor from one C to the next.", default=1.5, at_least=1.01)
    rounding: str = choice(
        "Which expected counts are rounded up: those of the smallest classes, or those "
        "with the largest fractions.",
        ("smallest", "remainder"),
        default="smallest",
    )
    max_iter: int = integer(
        "Most passes of the machine's solver.", default=1000, at_least=1, bearable=COUNT
    )
    random_state: Any = redeclared(
        default=None,
        about="Of the order in which the machine's solver takes the rows.",
    )

    _most_rows: ClassVar[tuple[int, str] | None] = (
        6000,
        "it fits dozens of support vector machines to all of them",
    )

    def _solve(self, x: Floats, candidates: Candidates, seed: int) -> Floats:
        x, sets = with_constant(x), candidates.matrix
        weights = candidates.initial_weights()
        self.counts_ = class_counts(weights, self.rounding)
        # Weights alone would leave most sets to chance, and of chance labels a machine
        # learns W = 0, which moves none: what least squares make of them breaks ties.
        start = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ weights)  # (d, k)
        labels = assign(1 - weights - x @ start, sets, self.counts_)
        self.coef_ = np.zeros((sets.shape[1], x.shape[1]))
        c = _FIRST * self.c_max
        while c < self.c_max:
            c = min(self.c_max, self.growth * c)
            labels = self._settled(x, sets, labels, c, stream_seed(seed, "order"))
        return np.eye(sets.shape[1])[labels]

    def _settled(
        self, x: Floats, sets: Any, labels: Labels, c: float, seed: int
    ) -> Labels:
        """Fit and assign in turn for one C until the function hardly falls."""
        value = self._objective(x, self.coef_, labels, c)
        while True:
            machine = self._machine(x, labels, c, seed)
            new = assign(label_hinge(x @ machine.T), sets, self.counts_)
            found = self._objective(x, machine, new, c)
            # Both steps are judged together: the machine's solver has a tolerance, and
            # where labels look random, W = 0 beats it by less than that.
            fall = value - found
            if fall > 0:
                self.coef_, labels, value = machine, new, found
            self.history_.append({"C": c, "objective": value})
            if fall < _DROP:
                return labels

    def _objective(self, x: Floats, coef: Floats, labels: Labels, c: float) -> float:
        loss = label_hinge(x @ coef.T)[np.arange(len(x)), labels].sum()
        return float(np.square(coef).sum() / 2 + c * loss)

    def _machine(self, x: Floats, labels: Labels, c: float, seed: int) -> Floats:
        """Return the W of Crammer and Singer's machine for these labels."""
        k, d = self.coef_.shape
        if k == 1:
            return np.zeros((k, d))
        # A class without rows competes as well: it gets one of next to no weight.
        absent = np.setdiff1d(np.arange(k), labels)
        rows = np.concatenate([x[:, :-1], np.zeros((len(absent), d - 1))])
        weights = np.ones(len(rows))
        weights[len(x) :] = _NEXT_TO_NOTHING
        machine = LinearSVC(
            C=c,
            multi_class="crammer_singer",
            max_iter=self.max_iter,
            random_state=seed % 2**32,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(rows, np.concatenate([labels, absent]), weights)
        found: Floats = np.column_stack([machine.coef_, machine.intercept_])
        if k == 2:  # scikit-learn gives the difference of the two, which are opposite.
            found = np.concatenate([-found, found]) / 2
        return found

    def _probabilities(self, x: Floats) -> Floats:
        p: Floats = softmax(with_constant(x) @ self.coef_.T, axis=1)
        return p

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        return {**arrays, "counts": self.counts_}, facts

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        self.counts_ = stored.array("counts", (len(self.classes_),), np.int64)
