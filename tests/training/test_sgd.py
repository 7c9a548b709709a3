"""Descent on one vector: torch's own steps, run by run, in any memory order."""

import numpy as np
import pytest
import torch
from torch import nn

from mipl import MIPLMA, Training
from mipl.training.flat_adam import FlatAdam
from mipl.training.sgd import FlatSGD

SETTINGS = [
    Training(lr=0.1, epochs=4, nesterov=True, weight_decay=0.01),
    Training(lr=0.05, epochs=4, nesterov=False, clip=0.7),
    Training(lr=0.2, epochs=4, momentum=0.0, nesterov=False, clip=0.1),
]


def parameters(seed):
    """Return parameters by rows, by columns, and of a convolution, channels last."""
    chance = torch.Generator().manual_seed(seed)
    images = torch.randn(2, 3, 4, 4, generator=chance, dtype=torch.float64)
    values = [
        torch.randn(3, 4, generator=chance, dtype=torch.float64),
        torch.randn(5, 3, generator=chance, dtype=torch.float64).T,
        torch.randn(6, generator=chance, dtype=torch.float64),
        images.to(memory_format=torch.channels_last),
    ]
    return [nn.Parameter(value) for value in values]


def loss(values):
    return sum((value.sin() * (i + 1)).sum() for i, value in enumerate(values))


def by_torch(options, values):
    sgd = torch.optim.SGD(
        values,
        lr=options.lr,
        momentum=options.momentum,
        nesterov=options.nesterov,
        weight_decay=options.weight_decay,
    )
    for epoch in range(1, options.epochs + 1):
        sgd.param_groups[0]["lr"] = options.learning_rate(epoch)
        sgd.zero_grad()
        loss(values).backward()
        if options.clip is not None:
            nn.utils.clip_grad_norm_(values, options.clip)
        sgd.step()
    return values


def descend(sgd, values, epochs):
    for epoch in range(1, epochs + 1):
        sgd.start_epoch(epoch)
        sgd.descend(torch.autograd.grad(loss(values), values))


@pytest.mark.parametrize("options", SETTINGS)
def test_one_network_steps_as_torch_does(options):
    values = parameters(1)
    strides = [value.stride() for value in values]
    descend(FlatSGD(values, [options]), values, options.epochs)
    assert [value.stride() for value in values] == strides
    for mine, theirs in zip(values, by_torch(options, parameters(1)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("part", [2**15, 7])
def test_each_of_several_runs_steps_by_its_own_settings(part, monkeypatch):
    """Also where the numbers of a run are more than one part."""
    monkeypatch.setattr("mipl.training.sgd._PART", part)
    single = [parameters(seed)[:3] for seed in range(len(SETTINGS))]
    joint = [nn.Parameter(torch.stack(each)) for each in zip(*single, strict=True)]
    alone = [
        by_torch(options, parameters(seed)[:3]) for seed, options in enumerate(SETTINGS)
    ]
    descend(FlatSGD(joint, SETTINGS), joint, 4)
    for run, expected in enumerate(alone):
        for mine, theirs in zip(joint, expected, strict=True):
            torch.testing.assert_close(mine[run], theirs, rtol=1e-12, atol=1e-12)


def test_a_parameter_without_gradient_stays_and_does_not_decay_as_in_torch():
    options = Training(lr=0.5, epochs=1, weight_decay=0.1, clip=None)
    (used, unused), theirs = (
        [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))] for _ in range(2)
    )
    ours = FlatSGD([used, unused], [options])
    torchs = torch.optim.SGD(
        theirs, lr=0.5, momentum=0.9, nesterov=True, weight_decay=0.1
    )
    ours.start_epoch(1)
    for gradient in (None, torch.full((3,), 0.1), None):
        ours.descend([torch.ones(2), gradient])
        theirs[0].grad, theirs[1].grad = torch.ones(2), gradient
        torchs.step()
        torch.testing.assert_close(used, theirs[0])
        torch.testing.assert_close(unused, theirs[1])


def test_a_users_parameter_with_gaps_in_memory_does_not_reach_its_neighbours():
    class Gaps(nn.Module):
        def __init__(self):
            super().__init__()
            wide = torch.arange(40.0).view(4, 10) / 40
            self.weight = nn.Parameter(wide[:, :3])
            self.scale = nn.Parameter(torch.tensor([2.0, 3.0, 4.0]))

        def forward(self, x):
            return x @ self.weight * self.scale

    own = Gaps()
    rows = [np.full((2, 4), v, dtype=np.float32) for v in (-1.0, 0.0, 1.0, 2.0)]
    still = Training(epochs=1, lr=1e-12)
    model = MIPLMA(encoder=own, scaling="none", training=still).fit(rows, [0, 1, 0, 1])
    kept = model.module_.encoder.module
    for mine, given in zip(kept.parameters(), own.parameters(), strict=True):
        torch.testing.assert_close(mine, given)


@pytest.mark.parametrize("kind", [FlatSGD, FlatAdam])
def test_each_round_begins_with_a_new_optimiser(kind):
    """Against one of its own for each round, on the same values."""
    options = Training(epochs=4, rounds=2, lr=0.1, clip=None)
    once = Training(epochs=2, lr=0.1, clip=None)
    ours, theirs = parameters(0), parameters(0)
    joint = kind(ours, [options])
    for epoch in (1, 2, 3, 4):
        joint.start_epoch(epoch)
        joint.descend(torch.autograd.grad(loss(ours), ours))
        joint.end_epoch(epoch)
    for _ in range(2):
        own = kind(theirs, [once])
        for epoch in (1, 2):
            own.start_epoch(epoch)
            own.descend(torch.autograd.grad(loss(theirs), theirs))
            own.end_epoch(epoch)
    for value, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(value, expected, rtol=0, atol=0)
    # What the last round leaves, it leaves: no round follows.
    assert all(bool(kept.any()) for kept in joint.buffers().values())


@pytest.mark.parametrize("kind", [FlatSGD, FlatAdam])
def test_what_the_loss_does_not_know_stays_as_it_is(kind):
    """In torch a parameter without gradient neither decays nor rolls on."""
    options = Training(epochs=3, lr=0.1, weight_decay=0.5, clip=None)
    ours = parameters(0)
    joint = kind(ours, [options])
    joint.start_epoch(1)
    joint.descend(torch.autograd.grad(loss(ours), ours))
    before = [value.detach().clone() for value in ours]
    left = {name: kept.clone() for name, kept in joint.buffers().items()}
    gradients = torch.autograd.grad(loss(ours[1:]), ours[1:])
    joint.descend([None, *gradients])
    torch.testing.assert_close(ours[0].detach(), before[0], rtol=0, atol=0)
    length = ours[0].numel()
    for name, kept in joint.buffers().items():
        if kept.ndim == 2:
            assert torch.equal(kept[:, :length], left[name][:, :length]), name
    for value, old in zip(ours[1:], before[1:], strict=True):
        assert not torch.equal(value.detach(), old)
