"""What a trained network must keep to predict again, as arrays and facts."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from pydantic import PositiveFloat, PositiveInt

from mipl.errors import MiplError
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.network import BagNetwork
from mipl.training.options import Training


def network_state(model: Any) -> State:
    """Return the values of the network, and what training has left."""
    arrays = {
        f"module.{name}": value.cpu().numpy()
        for name, value in model.module_.state_dict().items()
    }
    arrays["label_weights"] = model.label_weights_
    for name in model.record_[0] if model.record_ else ():
        arrays[f"record.{name}"] = np.stack([one[name] for one in model.record_])
    shape = model.instance_shape_
    facts = {
        "instance_shape": None if shape is None else list(shape),
        "tau": float(model.tau_),
        "history": model.history_,
        "n_iter": model.n_iter_,
        "best_epoch": model.best_epoch_,
    }
    return arrays, facts


def restore_network(model: Any, stored: Stored) -> None:
    """Take back what ``network_state`` gave."""
    k = len(model.classes_)
    shape = stored.fact("instance_shape", list[PositiveInt] | None)
    model.instance_shape_ = None if shape is None else tuple(shape)
    model.tau_ = stored.fact("tau", PositiveFloat)
    model.history_ = stored.fact("history", list[dict[str, float]])
    model.n_iter_ = stored.fact("n_iter", PositiveInt)
    model.best_epoch_ = stored.fact("best_epoch", PositiveInt)
    model.label_weights_ = stored.array("label_weights", (None, k), np.float64)
    model.record_ = _records(stored, k)
    options = model.training or model._default_training()
    options.check()
    module = model._new_module(k).to(options.torch_dtype())
    _fill(module, stored)
    model.module_ = module.to(_device(options))


def _fill(module: BagNetwork, stored: Stored) -> None:
    values = {}
    for name, old in module.state_dict().items():
        shape, dtype = tuple(old.shape), old.numpy().dtype
        new = stored.array(f"module.{name}", shape, dtype)
        values[name] = torch.from_numpy(new)
    module.load_state_dict(values)


def _records(stored: Stored, k: int) -> list[dict[str, Any]]:
    if not stored.holds("record.epoch"):
        return []
    epochs = stored.array("record.epoch", (None,), np.int64).tolist()
    weights = stored.array("record.label_weights", (len(epochs), None, k), np.float64)
    best = {
        name: stored.array(f"record.{name}", weights.shape[:2], np.float64)
        for name in ("best_candidate", "best_other")
    }
    return [
        {"epoch": epoch, "label_weights": w} | {n: best[n][i] for n in best}
        for i, (epoch, w) in enumerate(zip(epochs, weights, strict=True))
    ]


def _device(options: Training) -> torch.device:
    try:
        return options.torch_device()
    except MiplError:
        return torch.device("cpu")  # Trained on a device that this machine has not.
