"""The contract of bags on 28x28 images, which some methods were published for alone."""

from dataclasses import replace

import numpy as np
import pytest
from tests.methods.settings import small

from mipl import Bags
from mipl.testing import CHECKS
from mipl.testing.checks import beyond, fitting, problem

# A bag that is one flat vector, or a stack of them, is no longer a picture.
FLAT = ("check_bag_forms_agree", "check_array_forms_agree")
WHOLE = [check for check in CHECKS if check.__name__ not in FLAT]
QUICK = (
    "check_same_seed_same_bits",
    "check_label_weights",
    "check_history",
    "check_save_load",
    "check_resume",
    "check_batch_independence",
    "check_instance_scores",
)
IDS = ("demipl", "elimipl", "miplgp", "promipl", "fastmipl", "cdl")
GENTLE = {"fastmipl": {"training__lr": 1e-3}}  # Pixels are not standardised.
DRAWN = problem.make_problem


def drawn_as_pictures(*given, **named):
    """The problem of the checks; each of four features fills a quarter of a picture."""
    drawn = DRAWN(*given, **named)
    if drawn.bags[0].shape[1] != 4:
        return drawn
    quarter = np.ones((1, 14, 14), dtype=np.float32)
    bags = [np.kron(bag.reshape(-1, 2, 2), quarter) for bag in drawn.bags]
    return replace(drawn, bags=bags)


@pytest.fixture(autouse=True)
def pictures(monkeypatch):
    for module in (beyond, fitting, problem):
        monkeypatch.setattr(module, "make_problem", drawn_as_pictures)


def keeps(check, id):
    check(small(id).set_params(**GENTLE.get(id, {})))


def test_the_problem_has_pictures():
    bags = Bags(problem.problem_for(small("demipl")).bags)
    assert (bags.instance_shape, bags.n_features) == ((28, 28), 784)


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("name", QUICK)
def test_images_keep_the_contract(name, id):
    (check,) = (one for one in CHECKS if one.__name__ == name)
    keeps(check, id)


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("check", WHOLE, ids=lambda check: check.__name__)
def test_images_keep_the_whole_contract(check, id):
    keeps(check, id)
