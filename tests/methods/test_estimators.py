"""Every registered method keeps scikit-learn's contract and that of bags."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.settings import OF_BAGS, PARTIAL, TWO_CLASS, own_ids, small

from mipl.methods.catalogue.registry import method
from mipl.testing import CHECKS

SMALL_ONES = [small(id) for id in own_ids()]


@parametrize_with_checks(SMALL_ONES)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", (*OF_BAGS, *TWO_CLASS))
def test_the_contract_of_bags(id, check):
    check(small(id))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", PARTIAL)
def test_the_contract_of_bags_reduced_to_vectors(id, check):
    check(small(id, reduction="mean"))


@pytest.mark.slow
@parametrize_with_checks([method(id) for id in ("miplma", "cc", "pl-svm", "m3pl")])
def test_scikit_learns_contract_with_the_real_defaults(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "id", ["miplma", "miplma-released", "miplma-paper", "abmil", "mivae"]
)
def test_the_contract_of_bags_with_the_real_defaults(id, check):
    check(method(id))
