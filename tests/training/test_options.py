"""Training: its settings, its sentences, and the learning rate."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from sklearn.base import clone

from mipl import MiplError, Training


def test_the_defaults_are_sound():
    Training().check()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"epochs": 0}, "epochs of Training must be an integer >= 1; got 0."),
        ({"epochs": 2.5}, "epochs of Training must be an integer >= 1; got 2.5."),
        ({"threads": 0}, "threads of Training must be an integer >= 1; got 0."),
        ({"patience": "x"}, "patience of Training must be an integer >= 1; got 'x'."),
        (
            {"batch_size": 0},
            "batch_size of Training must be None or an integer >= 1; got 0.",
        ),
        (
            {"batch_instances": -1},
            "batch_instances of Training must be None or an integer >= 1; got -1.",
        ),
        ({"lr": 0}, "lr of Training must be a number > 0; got 0."),
        ({"lr": math.nan}, "lr of Training must be a number > 0; got nan."),
        ({"lr": "fast"}, "lr of Training must be a number > 0; got 'fast'."),
        (
            {"weight_decay": -1.0},
            "weight_decay of Training must be a number >= 0; got -1.0.",
        ),
        ({"clip": 0}, "clip of Training must be None or a number > 0; got 0."),
        (
            {"momentum": 1.0},
            "momentum of Training must be a number in [0, 1); got 1.0.",
        ),
        ({"holdout": 1.0}, "holdout of Training must be a number in (0, 1); got 1.0."),
        (
            {"schedule": "linear"},
            "schedule of Training must be one of 'cosine', 'constant'; got 'linear'.",
        ),
        (
            {"dtype": ["float32"]},
            "dtype of Training must be one of 'float32', 'float64'; got ['float32'].",
        ),
        (
            {"stop_on": "accuracy"},
            "stop_on of Training must be None or one of 'approximated_accuracy', "
            "'covering_rate', 'margin_violation_rate'; got 'accuracy'.",
        ),
        ({"momentum": 0.0}, "nesterov of Training needs a momentum > 0; got 0."),
    ],
)
def test_a_setting_that_cannot_train_is_refused_with_one_sentence(setting, sentence):
    with pytest.raises(MiplError) as refused:
        Training(**setting).check()
    assert str(refused.value) == sentence


@pytest.mark.parametrize("device", ["gpu", "cuda:77", "", 3.5, None])
def test_a_device_that_is_not_there_is_refused(device):
    with pytest.raises(MiplError, match="must be 'auto', 'cpu' or a device that torch"):
        Training(device=device).torch_device()


def test_auto_and_cpu_are_devices():
    assert Training(device="cpu").torch_device() == torch.device("cpu")
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert Training().torch_device().type == expected


def test_the_cosine_is_that_of_torch():
    """Against torch's own schedule, stepped once per epoch."""
    options = Training(epochs=7, lr=0.05)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=7)
    for t in range(1, 8):
        rate = optimiser.param_groups[0]["lr"]
        assert math.isclose(options.learning_rate(t), rate, rel_tol=1e-9)
        optimiser.step()
        schedule.step()


def test_a_constant_rate_stays():
    options = Training(schedule="constant", lr=0.3)
    assert {options.learning_rate(t) for t in (1, 50, 100)} == {0.3}


def test_each_round_warms_up_and_falls_by_a_cosine():
    options = Training(epochs=12, rounds=2, warm_up=2, lr=0.1)
    falling = [0.05 * (1 + math.cos(math.pi * e / 4)) for e in range(4)]
    expected = [0.05, 0.1, *falling] * 2
    rates = [options.learning_rate(t) for t in range(1, 13)]
    assert rates == pytest.approx(expected)
    constant = Training(epochs=4, rounds=2, warm_up=1, schedule="constant", lr=0.1)
    assert [constant.learning_rate(t) for t in (1, 2, 3, 4)] == [0.1] * 4


def test_a_round_shorter_than_its_warm_up_only_rises():
    options = Training(epochs=3, warm_up=5, lr=1.0)
    assert [options.learning_rate(t) for t in (1, 2, 3)] == [0.2, 0.4, 0.6]


@pytest.mark.parametrize(("epochs", "rounds"), [(1, 1), (7, 3), (6, 4), (2, 5), (9, 9)])
def test_rounds_share_out_the_epochs(epochs, rounds):
    """Against a walk through the epochs, one after another."""
    options = Training(epochs=epochs, rounds=rounds)
    found = [options.round_of(t) for t in range(1, epochs + 1)]
    starts = [i for i, here in enumerate(found) if here.epoch == 1]
    lengths = np.diff([*starts, epochs])
    assert len(starts) == min(epochs, rounds)
    assert lengths.max() - lengths.min() <= 1
    for here, after in pairwise(found):
        assert here.hands_over == (after.epoch == 1)
        assert after.epoch in (1, here.epoch + 1)
    assert not found[-1].hands_over and not found[-1].followed


def test_it_clones_and_keeps_its_arguments():
    options = Training(epochs=3, record_bags=(1, 2))
    assert clone(options).get_params() == options.get_params()
