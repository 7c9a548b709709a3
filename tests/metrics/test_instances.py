"""AUROC of instance scores, inside bags and over all of them."""

from itertools import pairwise

import numpy as np
import pytest
import sklearn.metrics

from mipl.errors import MiplError
from mipl.metrics import instance_auroc, pooled_instance_auroc


@pytest.fixture
def scored():
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 9, 40)
    positive = rng.random(sizes.sum()) < 0.3
    scores = np.round(rng.random(sizes.sum()) + 0.3 * positive, 1)  # With ties.
    return scores, np.cumsum([0, *sizes]), positive


def test_mean_over_bags_equals_scikit_learn_bag_by_bag(scored):
    scores, offsets, positive = scored
    bags = [slice(a, b) for a, b in pairwise(offsets)]
    both = [b for b in bags if 0 < positive[b].sum() < b.stop - b.start]
    theirs = [sklearn.metrics.roc_auc_score(positive[b], scores[b]) for b in both]
    found = instance_auroc(scores, offsets, positive)
    assert found.value == pytest.approx(np.mean(theirs))
    assert found.n_bags == len(both) and found.n_left_out == 40 - len(both) > 0


def test_pooled_equals_scikit_learn(scored):
    scores, _, positive = scored
    theirs = sklearn.metrics.roc_auc_score(positive, scores)
    assert pooled_instance_auroc(scores, positive) == pytest.approx(theirs)


def test_the_mean_does_not_depend_on_the_scale_of_each_bag(scored):
    scores, offsets, positive = scored
    shift = np.repeat(np.arange(40), np.diff(offsets))
    moved = instance_auroc(10 * scores + shift, offsets, positive)
    assert moved.value == pytest.approx(instance_auroc(scores, offsets, positive).value)


def test_attention_that_knows_nothing_is_at_one_half(scored):
    _, offsets, positive = scored
    assert instance_auroc(np.ones(len(positive)), offsets, positive).value == 0.5


def test_bags_without_both_kinds_cannot_be_scored():
    with pytest.raises(MiplError, match="no bag has both positive and negative"):
        instance_auroc([0.1, 0.2], [0, 1, 2], [True, False])
    with pytest.raises(MiplError, match="needs positive and negative ones"):
        pooled_instance_auroc([0.1, 0.2], [True, True])
    with pytest.raises(MiplError, match="row 0 holds NaN"):
        pooled_instance_auroc([np.nan, 0.2], [True, False])
