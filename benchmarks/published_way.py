"""MIPLMA trained the way the published programs train, to compare speed with.

Written from the description of that way: a DataLoader gives one bag per step, the label
weights live in the data set as NumPy arrays and are copied there and back at every
step, and the test bags are predicted one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from torch.utils.data import Dataset as TorchDataset

from mipl import Dataset

TAU, DECAY, CLAMP = 5.0, 0.95, 1e-5


@dataclass(frozen=True)
class Settings:
    """What differs between data sets."""

    lr: float
    lam: float
    width: int = 128
    tau_min: float = 0.1


class Network(nn.Module):
    """The published network, for one bag."""

    def __init__(self, shape: tuple[int, ...], n_classes: int, width: int) -> None:
        super().__init__()
        self.convolutions = (
            nn.Sequential(
                nn.Conv2d(1, 20, 5),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Conv2d(20, 50, 5),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Flatten(),
            )
            if len(shape) == 3
            else nn.Identity()
        )
        inputs = 800 if len(shape) == 3 else shape[0]
        self.feature = nn.Sequential(
            nn.Linear(inputs, width), nn.Dropout(0.5), nn.ReLU()
        )
        self.gate = nn.Linear(width, n_classes)
        self.score = nn.Sequential(
            nn.Linear(n_classes, 128), nn.ReLU(), nn.Linear(128, 1)
        )
        self.classifier = nn.Linear(width, n_classes)
        self.width = width

    def forward(self, x: Tensor, tau: float) -> Tensor:
        """Return the probabilities of the classes, (1, k)."""
        h = self.feature(self.convolutions(x))  # (n, L)
        gates = torch.tanh(self.gate(h)) * torch.sigmoid(self.gate(h))
        scores = self.score(gates).T  # (1, n)
        # Of one number the published program's spread is not a number.
        spread = scores.detach().std(correction=min(1, len(h) - 1))
        scores = (scores - scores.mean()) / (spread + 1e-8) / math.sqrt(self.width)
        z = torch.softmax(scores / tau, dim=1) @ h  # (1, L)
        o = torch.sigmoid(self.classifier(z))
        if self.training:
            o = torch.clamp(o, CLAMP, 1 - CLAMP)
        return torch.softmax(o, dim=1)


class OneByOne(TorchDataset[Any]):
    """Bags of a data set, with the label weights that training writes into."""

    def __init__(self, dataset: Dataset) -> None:
        bags = dataset.bags
        shape = bags.instance_shape or (bags.n_features,)
        self.bags = [np.array(bag).reshape(-1, *shape) for bag in bags]
        self.candidates = np.array(dataset.candidates.matrix, np.float32)
        self.weights = self.candidates / self.candidates.sum(axis=1, keepdims=True)

    def __len__(self) -> int:
        return len(self.bags)

    def __getitem__(self, i: int) -> Any:
        return self.bags[i], self.candidates[i], self.weights[i], i


def train(
    dataset: Dataset,
    settings: Settings,
    epochs: int,
    seed: int,
    after_epoch: Callable[[Network, float], None] = lambda network, tau: None,
) -> tuple[Network, float]:
    """Return the trained network and its last temperature.

    ``after_epoch`` is shown both after every epoch; it leaves the network training.
    """
    torch.manual_seed(seed)
    data = OneByOne(dataset)
    network = Network(data.bags[0].shape[1:], len(dataset.classes), settings.width)
    optimiser = torch.optim.SGD(
        network.parameters(), settings.lr, 0.9, weight_decay=1e-4, nesterov=True
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    loader = DataLoader(data, batch_size=1, shuffle=True)
    network.train()
    tau = TAU
    for epoch in range(epochs):
        alpha = (epochs - epoch) / epochs
        for x, candidates, weights, i in loader:
            optimiser.zero_grad()
            p = network(x[0], tau)
            loss = bag_loss(p, candidates, weights, settings.lam)
            loss.backward()
            optimiser.step()
            belief = p.detach().cpu().numpy()[0] * data.candidates[int(i)]
            held = alpha * data.weights[int(i)]
            data.weights[int(i)] = held + (1 - alpha) * belief / belief.sum()
        schedule.step()
        tau = max(settings.tau_min, tau * DECAY)
        after_epoch(network, tau)
    return network, tau


def bag_loss(p: Tensor, candidates: Tensor, weights: Tensor, lam: float) -> Tensor:
    """Return the loss of one bag; its margin stands in a list beside one zero."""
    log_loss = -(weights * torch.log(p)).sum()
    margin = (p * candidates).max() - (p * (1 - candidates)).max()
    phi = 0.5 * (1 - margin)
    seen = torch.stack([torch.zeros(()), phi])
    return log_loss + lam * seen.mean() / (1 - seen.std())


def predict(network: Network, tau: float, dataset: Dataset) -> np.ndarray[Any, Any]:
    """Return the number of the likeliest class of each bag."""
    network.eval()
    loader = DataLoader(OneByOne(dataset), batch_size=1)
    with torch.no_grad():
        found = [int(network(x[0], tau).argmax()) for x, *_ in loader]
    return np.array(found)
