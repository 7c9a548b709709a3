"""Golden parameters into a network, and its values and gradients out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.network import BagNetwork, Output
from mipl.training.batches import Batch, BatchSource

Arrays = dict[str, npt.NDArray[np.float64]]
Inputs = Mapping[str, Any]
DOUBLE = torch.float64


def golden_bags(inputs: Inputs, prefix: str = "") -> Bags:
    """Return the bags of a golden file."""
    rows = inputs[prefix + "instances"]
    shape = (1, 28, 28) if rows.shape[1] == 784 else None
    return Bags(rows, inputs[prefix + "offsets"], instance_shape=shape)


def golden_network(
    estimator: NeuralBagClassifier, bags: Bags, n_classes: int, values: Arrays
) -> BagNetwork:
    """Build the estimator's network and fill it with given values, by role."""
    estimator.n_features_in_ = bags.n_features
    estimator.instance_shape_ = bags.instance_shape
    module = estimator._new_module(n_classes).double()
    parameters = roles(module)
    assert set(parameters) == set(values), (sorted(parameters), sorted(values))
    with torch.no_grad():
        for role, parameter in parameters.items():
            given = torch.as_tensor(values[role].astype(np.float64))
            parameter.copy_(given.reshape(parameter.shape))
    return module


def roles(module: nn.Module) -> dict[str, nn.Parameter]:
    """Name each parameter by its layer and kind, e.g. ``feature_weight``."""
    return {
        "_".join(name.split(".")[-2:]): parameter
        for name, parameter in module.named_parameters()
    }


def values_of(module: nn.Module) -> Arrays:
    """Return a copy of all parameters, by role."""
    return {role: p.detach().numpy().copy() for role, p in roles(module).items()}


def gradients_of(module: nn.Module, loss: Tensor) -> Arrays:
    """Return the gradient of a loss for each parameter, by role."""
    module.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    found = {}
    for role, parameter in roles(module).items():
        gradient = parameter.grad
        zero = torch.zeros_like(parameter)
        found[role] = (zero if gradient is None else gradient).numpy().copy()
    return found


def source_of(bags: Bags, candidates: npt.NDArray[Any]) -> BatchSource:
    """Return the training bags as the loop deals them."""
    return BatchSource(bags, candidates.astype(bool), torch.device("cpu"), DOUBLE)


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """Put a prefix before every name."""
    return {prefix + name: value for name, value in arrays.items()}


def all_bags(source: BatchSource) -> Batch:
    """Return all bags as one batch."""
    return next(source.deal(np.arange(len(source)), None, None))


def run(module: BagNetwork, batch: Batch, tau: float) -> Output:
    """Run the network on a batch."""
    out: Output = module(batch.x, batch.segments, float(tau))
    return out


def array(value: Tensor) -> npt.NDArray[np.float64]:
    """Return a copy in float64, without gradient."""
    found: npt.NDArray[np.float64] = value.detach().to(DOUBLE).numpy().copy()
    return found


def stack(values: list[Tensor]) -> npt.NDArray[np.float64]:
    """Return copies in float64, one after another on a new first axis."""
    return array(torch.stack([torch.as_tensor(v) for v in values]))
