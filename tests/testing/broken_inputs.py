"""Methods that misread one kind of input each."""

import numpy as np
from tests.testing.sound import Sound, blurred

from mipl.data.bags import Bags


class MisreadsObjectArrays(Sound):
    """check_bag_forms_agree"""

    def fit(self, X, y):
        is_objects = isinstance(X, np.ndarray) and X.dtype == object
        return super().fit(list(X)[::-1] if is_objects else X, y)


class DropsInstancesOfCubes(Sound):
    """check_array_forms_agree"""

    def fit(self, X, y):
        is_cube = isinstance(X, np.ndarray) and X.ndim == 3
        return super().fit(X[:, :1] if is_cube else X, y)


class MisreadsLists(Sound):
    """check_candidate_forms_agree"""

    def fit(self, X, y):
        is_lists = isinstance(y, list) and isinstance(y[0], list)
        return super().fit(X, y[::-1] if is_lists else y)


class _Sometimes(Sound):
    """Has no finite answer where a condition on the training data holds."""

    def _fit(self, bags, candidates):
        super()._fit(bags, candidates)
        if self._stumbles(bags, candidates):
            self.centres_ = self.centres_ * np.nan


class StumblesOverVotes(_Sometimes):
    """check_weights_accepted"""

    def _stumbles(self, bags, candidates):
        weights = candidates.weights
        # Equal votes are those of another check.
        return weights is not None and (weights != candidates.matrix / 2).any()


class StumblesOverFullSets(_Sometimes):
    """check_full_candidate_sets"""

    def _stumbles(self, bags, candidates):
        return candidates.matrix.all() and candidates.matrix.shape[1] > 2


class StumblesOverOneInstance(_Sometimes):
    """check_one_instance_bags"""

    def _stumbles(self, bags, candidates):
        return bags.sizes.max() == 1


class StumblesOverEqualInstances(_Sometimes):
    """check_equal_instances"""

    def _stumbles(self, bags, candidates):
        return bags.sizes.max() > 1 and all(np.ptp(bag, 0).max() == 0 for bag in bags)


class StumblesOverConstants(_Sometimes):
    """check_hostile_numbers"""

    def _stumbles(self, bags, candidates):
        return (np.ptp(bags.instances, axis=0) == 0).any()


class SupervisedOtherwise(Sound):
    """check_one_candidate_is_supervised"""

    def fit(self, X, y):
        super().fit(X, y)
        if isinstance(y, np.ndarray) and y.ndim == 1:
            self.centres_ = self.centres_ * 1.1
        return self


class CutsFeatures(Sound):
    """check_feature_count_named"""

    def _as_bags(self, X, fitting=False):
        if not fitting:
            X = [np.asarray(bag)[..., : self.n_features_in_] for bag in X]
        return super()._as_bags(X, fitting)


class DropsEmptyBags(Sound):
    """check_empty_bag_named"""

    def _as_bags(self, X, fitting=False):
        if isinstance(X, list):
            X = [bag for bag in X if len(bag)]
        return super()._as_bags(X, fitting)


class TakesTextForBags(Sound):
    """check_what_are_no_bags_refused"""

    def _as_bags(self, X, fitting=False):
        return super()._as_bags(np.eye(2) if isinstance(X, str) else X, fitting)


class SilencesNaN(Sound):
    """check_nan_named"""

    def _as_bags(self, X, fitting=False):
        if isinstance(X, list) and any(np.isnan(np.asarray(bag)).any() for bag in X):
            X = [np.nan_to_num(bag) for bag in X]
        return super()._as_bags(X, fitting)


class FillsEmptySets(Sound):
    """check_empty_candidate_set_named"""

    def fit(self, X, y):
        if isinstance(y, list):
            y = [row or {"elm"} for row in y]
        return super().fit(X, y)


class CutsBags(Sound):
    """check_counts_named"""

    def fit(self, X, y):
        return super().fit(X[: len(y)], y)


class NamesAsText(Sound):
    """check_class_names_kept"""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_.astype(str)
        return self


class Transductive(Sound):
    """check_other_bags"""

    def _proba(self, bags):
        p = super()._proba(bags)
        return blurred(p) if np.abs(bags.instances).max() > 90 else p


class OneBagOtherwise(Sound):
    """check_one_bag"""

    def predict_proba(self, X):
        p = super().predict_proba(X)
        return blurred(p) if isinstance(X, Bags) and len(X) == 1 else p
