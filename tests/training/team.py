"""What two processes fit, started by torchrun; the same fits are made by one."""

import json
import os
import sys
from pathlib import Path

import numpy as np

from mipl import Bags, method
from mipl.testing.checks.problem import make_problem

# 13 bags by 4: the last batch has one bag, so that one of two processes has none.
PROBLEM = make_problem(n_bags=13, sizes=(3, 1, 4, 2, 7))
IMAGES = np.random.default_rng(0).random((13, 2, 1, 28, 28))
CASES = {
    "ours": ("miplma", {}, {}),
    "float32": ("miplma", {}, {"dtype": "float32"}),
    "paper": ("miplma-paper", {}, {}),
    "released": ("miplma-released", {}, {}),
    "margins of the epoch": ("miplma", {"margin": "epoch"}, {}),
    "clipped": ("miplma", {}, {"clip": 0.1}),
    "early stopping": ("miplma", {}, {"stop_on": "covering_rate", "holdout": 0.3}),
    "drawn": ("miplma", {}, {"instances_per_bag": 2, "record_bags": (3,)}),
    "by instances": ("miplma", {}, {"batch_size": None, "batch_instances": 12}),
    "one bag": ("miplma", {}, {"batch_size": 1}),
    "attention loss": ("demipl", {}, {}),
    "two losses": ("elimipl", {}, {}),
    "latent labels": ("promipl", {}, {}),
    "mixed effects": ("fastmipl", {}, {"lr": 0.01}),
    "calibrated": ("cdl", {}, {}),
    "adam": ("abmil", {}, {"lr": 0.01}),
    "instances": ("loss-attention", {}, {"lr": 0.01}),
    "auto-encoder": ("mivae", {"latent": 3}, {"lr": 0.01}),
    "images": ("miplma", {}, {}),
}


def build(name):
    """Return the method of a case, and the bags it is fitted on."""
    id, arguments, training = CASES[name]
    model = method(id, random_state=3, width=8, **arguments)
    usual = {"epochs": 5, "batch_size": 4, "dtype": "float64", "lr": 0.1}
    settings = {
        f"training__{name}": value for name, value in (usual | training).items()
    }
    bags = Bags(list(IMAGES)) if name == "images" else PROBLEM.bags
    return model.set_params(**settings), bags


def learnt(model, bags):
    """Return all that a model has learnt, as arrays by name."""
    arrays = {f"module {n}": v.numpy() for n, v in model.module_.state_dict().items()}
    arrays["label weights"] = model.label_weights_
    for name in model.history_[0]:
        arrays[f"history {name}"] = np.array([entry[name] for entry in model.history_])
    for number, record in enumerate(model.record_):
        arrays |= {f"record {number} {n}": np.array(v) for n, v in record.items()}
    return arrays | {"predictions": model.predict_proba(bags)}


def fit_all(folder, names):
    """Fit the cases in one of the processes, and leave what they have learnt."""
    for name in names:
        model, bags = build(name)
        model.fit(bags, PROBLEM.y)
        np.savez(
            Path(folder) / f"{name} {os.environ['RANK']}.npz", **learnt(model, bags)
        )


if __name__ == "__main__":
    fit_all(sys.argv[1], json.loads(sys.argv[2]))
