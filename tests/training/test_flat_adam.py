"""Adam on one vector: torch's own steps, run by run, kept and put back."""

import pytest
import torch
from tests.methods.wrappers.test_together import assert_as_alone, ragged
from tests.training.test_sgd import descend, loss, parameters
from torch import nn

from mipl import MIPLMA, MiplError, Training, fit_together
from mipl.training.flat_adam import FlatAdam

KINDS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
SETTINGS = [
    {"lr": 0.1, "epochs": 5, "weight_decay": 0.01},
    {"lr": 0.05, "epochs": 5, "weight_decay": 0.3, "clip": 0.7},
]


def by_torch(kind, options, values):
    adam = KINDS[kind](values, lr=options.lr, weight_decay=options.weight_decay)
    for epoch in range(1, options.epochs + 1):
        adam.param_groups[0]["lr"] = options.learning_rate(epoch)
        adam.zero_grad()
        loss(values).backward()
        if options.clip is not None:
            nn.utils.clip_grad_norm_(values, options.clip)
        adam.step()
    return values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", SETTINGS)
def test_one_network_steps_as_torch_does(kind, settings):
    options = Training(optimiser=kind, **settings)
    values = parameters(1)
    descend(FlatAdam(values, [options]), values, options.epochs)
    expected = by_torch(kind, options, parameters(1))
    for mine, theirs in zip(values, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_each_of_several_runs_steps_by_its_own_settings(kind):
    runs = [Training(optimiser=kind, **settings) for settings in SETTINGS]
    single = [parameters(seed)[:3] for seed in range(len(runs))]
    joint = [nn.Parameter(torch.stack(each)) for each in zip(*single, strict=True)]
    descend(FlatAdam(joint, runs), joint, 5)
    for run, options in enumerate(runs):
        expected = by_torch(kind, options, parameters(run)[:3])
        for mine, theirs in zip(joint, expected, strict=True):
            torch.testing.assert_close(mine[run], theirs, rtol=1e-12, atol=1e-12)


def test_steps_go_on_from_what_was_kept():
    options = Training(optimiser="adam", **SETTINGS[0])
    whole, parted = parameters(1), parameters(1)
    descend(FlatAdam(whole, [options]), whole, 5)
    first = FlatAdam(parted, [options])
    descend(first, parted, 2)
    kept = {name: value.clone() for name, value in first.buffers().items()}
    second = FlatAdam(parted, [options])
    second.put_back(kept)
    for epoch in (3, 4, 5):
        second.start_epoch(epoch)
        second.descend(torch.autograd.grad(loss(parted), parted))
    for mine, theirs in zip(parted, whole, strict=True):
        assert torch.equal(mine, theirs)
    with pytest.raises(ValueError, match="are needed; got"):
        second.put_back({"velocity": kept["mean"]})


def test_an_unknown_optimiser_is_refused_with_one_sentence():
    with pytest.raises(MiplError) as refused:
        Training(optimiser="rmsprop").check()
    assert str(refused.value) == (
        "optimiser of Training must be one of 'sgd', 'adam', 'adamw'; got 'rmsprop'."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_runs_with_adam_are_fitted_together(kind):
    problems = [ragged(seed) for seed in range(2)]
    models = [
        MIPLMA(
            width=8,
            training=Training(
                epochs=3, optimiser=kind, lr=lr, batch_size=4, dtype="float64"
            ),
        )
        for lr in (0.01, 0.02)
    ]
    fit_together(models, problems)
    assert_as_alone(models, problems)
