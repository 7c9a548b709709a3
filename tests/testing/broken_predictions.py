"""Methods that break one promise about predictions each."""

import numpy as np
from tests.testing.sound import Sound, blurred

from mipl.data.bags import Bags


class Improper(Sound):
    """check_probabilities"""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        self._known = {bag.tobytes() for bag in bags}

    def predict_proba(self, X):
        p = super().predict_proba(X)
        if self.conformal_ is not None:
            return p
        new = [len(b) > 3 and b.tobytes() not in self._known for b in Bags(X)]
        return np.where(np.array(new)[:, None], 1.5 * p, p)


class PredictsTheLeast(Sound):
    """check_predict_is_argmax"""

    def predict(self, X):
        p = self.predict_proba(X)
        return self.classes_[p.argmin(axis=1)]


class TakesTheFirstInstance(Sound):
    """check_instance_permutation"""

    def _vectors(self, bags):
        return np.stack([self._scaled(bag[0]) for bag in bags])


class LosesTheOrder(Sound):
    """check_bag_permutation"""

    def _proba(self, bags):
        p = super()._proba(bags)
        return p if bags.sizes[-1] == 5 else p[::-1]


class CountsDuplicates(Sound):
    """check_duplicate_bags"""

    def _proba(self, bags):
        p, half = super()._proba(bags), len(bags) // 2
        if len(bags) == 30 and (bags.bag(0) == bags.bag(half)).all():
            p[half:] = blurred(p[half:])
        return p


class TiresOfManyBags(Sound):
    """check_batch_independence"""

    def _proba(self, bags):
        p = super()._proba(bags)
        return blurred(p) if len(bags) > 100 else p


class CountsCalls(Sound):
    """check_predict_is_pure"""

    def predict_proba(self, X):
        self._calls = getattr(self, "_calls", 0) + 1
        return super().predict_proba(X)


class PraisesItself(Sound):
    """check_score"""

    def score(self, X, y, sample_weight=None):
        return 1.0
