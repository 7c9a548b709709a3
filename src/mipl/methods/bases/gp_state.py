"""What fitted Gaussian processes must keep to predict again, as arrays and facts."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from pydantic import PositiveInt

from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored


def gp_state(model: Any) -> State:
    """Return the processes, what they know of the training data, and the draws."""
    arrays = {name: value.cpu().numpy() for name, value in vars(model.summary_).items()}
    for name, value in model.gp_.named_parameters():
        arrays[f"gp.{name}"] = value.detach().cpu().numpy()
    for name in ("label_weights", "shift", "scale", "draws"):
        arrays[name] = getattr(model, f"{name}_")
    return arrays, {"history": model.history_, "n_iter": model.n_iter_}


def restore_gp(model: Any, stored: Stored) -> None:
    """Take back what ``gp_state`` gave."""
    from mipl.nn.gp import RegressionSummary  # noqa: PLC0415

    d, k = model.n_features_in_, len(model.classes_)
    model.history_ = stored.fact("history", list[dict[str, float]])
    model.n_iter_ = stored.fact("n_iter", PositiveInt)
    model.label_weights_ = stored.array("label_weights", (None, k), np.float64)
    model.shift_ = stored.array("shift", (d,), np.float64)
    model.scale_ = stored.array("scale", (d,), np.float64)
    model.draws_ = stored.array("draws", (None, k + 1), np.float64)
    points = stored.array("points", (None, d), np.float64)
    n = len(points)
    tables = {
        "points": points,
        "weights": stored.array("weights", (k + 1, n), np.float64),
        "precision": stored.array("precision", (k + 1, n, n), np.float64),
    }
    model.summary_ = RegressionSummary(
        **{k: torch.from_numpy(v) for k, v in tables.items()}
    )
    model.gp_ = model._prior(k + 1)
    with torch.no_grad():
        for name, value in model.gp_.named_parameters():
            given = stored.array(f"gp.{name}", tuple(value.shape), np.float64)
            value.copy_(torch.from_numpy(given))
