"""Methods that break one promise about fitting each."""

import copy
import random
import warnings

import numpy as np
from tests.testing.sound import Sound


class NeverTheSame(Sound):
    """check_same_seed_same_bits"""

    # Whatever compares two fits notices this, too.
    ALSO = frozenset(
        {
            "check_array_forms_agree",
            "check_bag_forms_agree",
            "check_candidate_forms_agree",
            "check_clone",
            "check_one_candidate_is_supervised",
            "check_refit_forgets",
            "check_surroundings_do_not_matter",
        }
    )
    _fits = 0

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        NeverTheSame._fits += 1
        self.centres_ = self.centres_ * (1 + 0.01 * NeverTheSame._fits)


class IgnoresItsSeed(Sound):
    """check_other_seed_differs"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        self.centres_ = np.round(self.centres_, 0)


class Remembers(Sound):
    """check_refit_forgets"""

    def fit(self, X, y):
        self._fits = getattr(self, "_fits", 0) + 1
        super().fit(X, y)
        self.centres_ = self.centres_ * self._fits
        return self


class ClonesFitted(Sound):
    """check_clone"""

    def __sklearn_clone__(self):
        return copy.deepcopy(self)


class GuessesUnfitted(Sound):
    """check_unfitted_refuses"""

    def fit(self, X, y):
        self._tried = True
        return super().fit(X, y)

    def predict(self, X):
        if not hasattr(self, "_tried"):
            return np.zeros(len(X))
        return super().predict(X)


class KeepsTheOldModel(Sound):
    """check_failed_fit_leaves_unfitted"""

    def fit(self, X, y):
        before = dict(vars(self))
        try:
            return super().fit(X, y)
        except ValueError:
            vars(self).update(before)
            raise


class WritesIntoVotes(Sound):
    """check_arguments_untouched"""

    def fit(self, X, y):
        if isinstance(y, np.ndarray) and y.dtype == float:
            y *= 3
        return super().fit(X, y)


class KeepsTheCallersBags(Sound):
    """check_later_writes"""

    _bag = np.zeros(1)

    def fit(self, X, y):
        if isinstance(X, list) and X:
            self._bag = np.asarray(X[0])
        return super().fit(X, y)

    def _proba(self, bags):
        p = super()._proba(bags)
        return p[:, ::-1] if self._bag.max() == 99 else p


class WeighsEverything(Sound):
    """check_label_weights"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        self.label_weights_ = np.full(candidates.shape, 1 / candidates.shape[1])


class LosesCount(Sound):
    """check_history"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        self.history_[-1]["loss"] = np.nan


class TravelsBadly(Sound):
    """check_pickle"""

    def __getstate__(self):
        state = dict(super().__getstate__())
        return (
            state | {"centres_": state["centres_"] * 2} if "centres_" in state else {}
        )


class LoadsBadly(Sound):
    """check_save_load"""

    def _restore(self, stored):
        super()._restore(stored)
        self.centres_ = self.centres_ * 2


class DrawsFromTheCallersGenerator(Sound):
    """check_global_state_untouched"""

    def _fit(self, bags, candidates):
        random.random()
        super()._fit(bags, candidates)


class ListensToTheCallersSeed(Sound):
    """check_surroundings_do_not_matter"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        first = np.random.get_state()[1][0]
        self.centres_ = self.centres_ * (1 + 1e-3 * (first % 997))


class Warns(Sound):
    """check_no_warnings"""

    def predict(self, X):
        warnings.warn("all is well", stacklevel=2)
        return super().predict(X)


class Prints(Sound):
    """check_nothing_printed"""

    def predict(self, X):
        print("predicting")
        return super().predict(X)
