"""Degraded: bags as vectors, the contracts of bags and of scikit-learn.

Every method keeps the contract of bags inside it: see ``test_estimators``.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mipl import MiplError, Training
from mipl.data import MaxMin, Mean
from mipl.methods.degraded import Degraded
from mipl.methods.pll.proden import PRODEN
from mipl.testing import CHECKS
from mipl.testing.checks.problem import make_problem

SMALL = PRODEN(training=Training(epochs=30, lr=0.3, batch_size=32))
PROBLEM = make_problem()


@parametrize_with_checks([Degraded(SMALL)])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags(check):
    check(Degraded(SMALL, reduction="maxmin"))


@pytest.mark.parametrize(("reduction", "way"), [("mean", Mean), ("maxmin", MaxMin)])
def test_it_is_the_estimator_on_reduced_bags(reduction, way):
    model = Degraded(SMALL, reduction).fit(PROBLEM.bags, PROBLEM.y)
    vectors = way().transform(PROBLEM.bags)
    plain = PRODEN(training=SMALL.training).fit(vectors, PROBLEM.y)
    p = plain.predict_proba(vectors)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), p)
    np.testing.assert_array_equal(model.label_weights_, plain.label_weights_)


def test_wrong_arguments_are_told():
    with pytest.raises(
        MiplError, match="estimator of Degraded must be a partial-label"
    ):
        Degraded(Degraded(SMALL)).fit(PROBLEM.bags, PROBLEM.y)
    with pytest.raises(MiplError, match="must be one of 'mean', 'maxmin'; got 'max'"):
        Degraded(SMALL, "max").fit(PROBLEM.bags, PROBLEM.y)
