"""Methods that break one promise beyond scikit-learn's contract each."""

from dataclasses import replace

import numpy as np
from tests.testing.sound import Sound


class LooksOutside(Sound):
    """check_disambiguate"""

    def disambiguate(self, X, y):
        return replace(super().disambiguate(X, y), posterior=self.predict_proba(X))


class ChangesItsMind(Sound):
    """check_calibration_keeps_predictions"""

    def predict(self, X):
        found = super().predict(X)
        return found if self.conformal_ is None else found[::-1]


class CalibratesOnTop(Sound):
    """check_calibration_is_repeatable"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        self._times = 0

    def calibrate(self, X, labels=None, candidates=None):
        super().calibrate(X, labels, candidates)
        self._times += 1
        self.temperature_ *= self._times
        return self


class CalibratesOnNothing(Sound):
    """check_calibrate_refuses"""

    def calibrate(self, X, labels=None, candidates=None):
        if labels is None and candidates is None:
            return self
        return super().calibrate(X, labels, candidates)


class GuessesSets(Sound):
    """check_sets_need_calibration"""

    def predict_set(self, X, alpha=0.1):
        if self.conformal_ is None:
            return np.ones((len(X), len(self.classes_)), dtype=bool)
        return super().predict_set(X, alpha)


class GrowsSets(Sound):
    """check_sets_shrink"""

    def predict_set(self, X, alpha=0.1):
        return super().predict_set(X, alpha) | (alpha > 0.4)


class EmptySets(Sound):
    """check_sets_cover"""

    def predict_set(self, X, alpha=0.1):
        return super().predict_set(X, alpha) & False


class RanksFromOne(Sound):
    """check_attention"""

    def attend(self, X, scale="raw"):
        return super().attend(X, scale) + (scale == "rank")


class SortsAttention(Sound):
    """check_attention_follows_instances"""

    def attend(self, X, scale="raw"):
        a = super().attend(X, scale)
        starts = self._as_bags(X).offsets[1:-1]
        return np.concatenate([np.sort(part) for part in np.split(a, starts)])


class NegativeScores(Sound):
    """check_instance_scores"""

    def predict_instances(self, X):
        return super().predict_instances(X) - 1


class SortsScores(Sound):
    """check_instance_scores_follow_instances"""

    def predict_instances(self, X):
        s = super().predict_instances(X)
        starts = self._as_bags(X).offsets[1:-1]
        parts = [np.sort(part, axis=0) for part in np.split(s, starts)]
        return np.concatenate(parts)


class EmptyVectors(Sound):
    """check_transform"""

    def transform(self, X):
        return super().transform(X)[:-1]
