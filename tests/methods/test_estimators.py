"""Every registered method keeps scikit-learn's contract and that of bags."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.settings import OF_BAGS, PARTIAL, TWO_CLASS, own_ids, small

from mipl.errors import Diverged
from mipl.methods.catalogue.registry import method
from mipl.testing import CHECKS

SMALL_ONES = [small(id) for id in own_ids()]
# As their programs compute: test scores are standardised over all test bags.
TRANSDUCTIVE = ("fastmipl-released", "uamipl")
OTHERWISE = {
    "check_batch_independence": "predictions are of all test bags at once",
    "check_other_bags": "predictions are of all test bags at once",
    "check_full_candidate_sets": "the program's start has no scale where no set tells",
}


def expected(estimator):
    found = {}
    if getattr(estimator, "standardise", None) == "given":
        why = "predictions are of all bags at once"
        found["check_methods_subset_invariance"] = why
    if getattr(estimator, "start", None) == "published":
        why = "the program's start has no scale where all bags have the same label"
        found["check_classifiers_one_label_sample_weights"] = why
    if "training" in str(estimator.get_params().keys()):
        # tests/methods/test_weights.py has what holds: with all bags in a step.
        why = "bags that are there twice are drawn, and lie in steps, twice"
        found["check_sample_weight_equivalence_on_dense_data"] = why
    return found


@parametrize_with_checks(SMALL_ONES, expected_failed_checks=expected)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", (*OF_BAGS, *TWO_CLASS))
def test_the_contract_of_bags(id, check):
    reason = OTHERWISE.get(check.__name__) if id in TRANSDUCTIVE else None
    if reason is None:
        check(small(id))
        return
    with pytest.raises((AssertionError, Diverged)):  # Who mends it strikes it out.
        check(small(id))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", PARTIAL)
def test_the_contract_of_bags_reduced_to_vectors(id, check):
    check(small(id, reduction="mean"))


@pytest.mark.slow
@parametrize_with_checks(
    [method(id) for id in ("miplma", "cc", "pl-svm", "m3pl")],
    expected_failed_checks=expected,
)
def test_scikit_learns_contract_with_the_real_defaults(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "id", ["miplma", "miplma-released", "miplma-paper", "abmil", "mivae"]
)
def test_the_contract_of_bags_with_the_real_defaults(id, check):
    check(method(id))
