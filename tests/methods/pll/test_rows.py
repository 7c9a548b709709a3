"""Registry rows of the partial-label methods: published settings, and bags."""

import pytest
from tests.methods.catalogue.test_registry import BENCHMARKS
from tests.methods.settings import PARTIAL

from mipl import Degraded, MiplError, method
from mipl.methods.catalogue.registry import find


def test_published_settings_of_partial_label_methods():
    """Values of the settings file of PRODEN's program; PRODEN-MA adds lam = 1."""
    model = method("proden", published_for="lost")
    assert (model.backbone, model.training.lr) == ("linear", 1e-2)
    assert (model.training.weight_decay, model.training.batch_size) == (1e-2, 100)
    model = method("proden-ma", published_for="kmnist", r=1)
    assert (model.backbone, model.lam, model.training.lr) == ("mlp", 1.0, 1e-2)
    assert (model.training.weight_decay, model.training.batch_size) == (1e-4, 256)
    assert (model.training.momentum, model.training.epochs) == (0.9, 500)


def test_nothing_published_for_vectors_is_taken_for_bags():
    for data in BENCHMARKS:
        with pytest.raises(MiplError, match="unknown data set with published"):
            method("proden", published_for=data)


# -- bags reduced to vectors -----------------------------------------------------------


@pytest.mark.parametrize("id", PARTIAL)
def test_a_reduction_makes_a_bag_method_of_a_partial_label_one(id):
    model = method(id, reduction="maxmin", random_state=3)
    assert type(model) is Degraded and model.reduction == "maxmin"
    assert (
        type(model.estimator) is find(id).load() and model.estimator.random_state == 3
    )


def test_arguments_are_those_of_the_method_inside():
    model = method("proden", published_for="lost", reduction="mean", training__epochs=7)
    training = model.estimator.training
    assert (training.epochs, training.weight_decay) == (7, 1e-2)
