"""Why some of our figures differ from the published: one change at a time.

    python -m tools.causes demipl                # SIVAL-MIPL, r = 1
    python -m tools.causes program               # DEMIPL's behind a feature network
    python -m tools.causes released --r 2        # MIPLMA's program, Birdsong-MIPL
    python -m tools.causes elimipl               # deep features of tissue

Each study is a method with its published settings, spelt out, on a few splits, and the
same with one thing changed that no publication tells, or that was chosen here. Features
scaled as no method scales them are written to ``scaled/`` first. Beside the accuracy,
which is that of test bags and so chooses nothing, a run keeps the classes that no test
bag is said to have, those whose outputs have no gradient left on any training bag, the
share of test bags with two equal best outputs, and the label weight of true classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mipl import Dataset, PerInstance, load_dataset, write_dataset
from mipl.data.frozen import Array
from mipl.nn.heads import CLAMP, SigmoidSoftmaxHead
from mipl.runs.run import Run
from tools.study import Plan, study

Arguments = Mapping[str, Any]

SCALED = Path("scaled")
FORMS = {
    "z-scores of all bags": "all",
    "z-scores inside each bag": "bag",
    "features moved into 0 to 1": "range",
}

# The paper's equations and a point of its grid, as catalogued, but half of the epochs.
DEMIPL = {
    "alpha_lag": 0,
    "attention_bias": "gates",
    "classifier": "softmax",
    "dropout": 0.0,
    "encoder": "image",
    "lam": 0.001,
    "scaling": "auto",
    "score_head": "linear",
    "shared_gate": False,
    "training__batch_size": 1,
    "training__clip": None,
    "training__epochs": 100,
    "training__lr": 0.01,
    "training__nesterov": False,
    "update_first": True,
}
PROGRAM = {  # That for images, behind one affine map.
    "alpha_lag": 1,
    "attention_bias": True,
    "classifier": "sigmoid-softmax",
    "dropout": 0.5,
    "encoder": "linear",
    "score_head": "mlp",
    "shared_gate": True,
    "training__nesterov": True,
    "update_first": False,
    "width": 500,
}
DEMIPL_CHANGES: Mapping[str, Arguments] = {
    "as catalogued, 100 epochs": {},
    # What its grid leaves open.
    "lam .0001": {"lam": 0.0001},
    "learning rate .05": {"training__lr": 0.05},
    "learning rate .05, lam .0001": {"lam": 0.0001, "training__lr": 0.05},
    # What it tells, or does not.
    "constant rate": {"training__schedule": "constant"},
    "Nesterov's momentum": {"training__nesterov": True},
    "no weight decay": {"training__weight_decay": 0.0},
    "no momentum": {"training__momentum": 0.0},
    "gradients of norm at most 1": {"training__clip": 1.0},
    "no entropy": {"lam": 0.0},
    "raw features": {"scaling": "none"},
    # Its program for images instead of its equations, and a feature network.
    "one map for both gates": {"shared_gate": True},
    "a score head with a hidden layer": {"score_head": "mlp"},
    "loss before the label weights": {"update_first": False},
    "a sigmoid before the softmax": {"classifier": "sigmoid-softmax"},
    "a feature network": {"dropout": 0.5, "encoder": "linear", "width": 128},
    "all of it": PROGRAM,
    "all of it, lam .0001": {**PROGRAM, "lam": 0.0001},
    "all of it, learning rate .05": {**PROGRAM, "training__lr": 0.05},
    "all of it, both": {**PROGRAM, "lam": 0.0001, "training__lr": 0.05},
}
RELEASED = {
    "lam": 5.0,
    "scaling": "auto",
    "tau_min": 0.1,
    "training__epochs": 100,
    "width": 128,
}
RATES = {2: 0.05, 3: 0.01}  # As catalogued, by r.
RELEASED_CHANGES: Mapping[str, Arguments] = {
    "as catalogued": {},
    "learning rate .01": {"training__lr": 0.01},
    "learning rate .05": {"training__lr": 0.05},
    "lam 3": {"lam": 3.0},
    "lam 1": {"lam": 1.0},
    "constant rate": {"training__schedule": "constant"},
    "no Nesterov's momentum": {"training__nesterov": False},
    "gradients of norm at most 1": {"training__clip": 1.0},
    "200 epochs": {"training__epochs": 200},
    "raw features": {"scaling": "none"},
    "no sigmoid before the softmax": {"classifier": "softmax"},
}
LOW = {2: (9, 2, 0), 3: (1, 3, 0)}  # By r, low splits of the ten and a usual one.
ELIMIPL = {
    "gamma": 10.0,
    "mu": 10.0,
    "training__batch_size": 1,
    "training__epochs": 15,
    "training__lr": 0.01,
    "width": 512,
}
ELIMIPL_CHANGES: Mapping[str, Arguments] = {
    "as catalogued, 15 epochs": {},
    "gradients of norm at most 1": {"training__clip": 1.0},
    "no sigmoid before the softmax": {"classifier": "softmax"},
    "raw features": {"scaling": "none"},
}
TISSUE = {"generator": "deep", "patches": 16, "per_class": 200}


def demipl() -> list[Run]:
    """Return the runs of DEMIPL on three splits of SIVAL-MIPL."""
    plan = _changed("demipl", "sival-mipl", DEMIPL, DEMIPL_CHANGES, splits=range(3))
    return plan + _scaled("demipl", "sival-mipl", DEMIPL, splits=range(3))


def program() -> list[Run]:
    """Return the runs of DEMIPL's program behind a feature network, on all splits."""
    lam = {"sival-mipl": 0.001, "birdsong-mipl": 0.0001}  # As catalogued.
    return [
        Run("demipl", data, {**DEMIPL, **PROGRAM, "lam": lam[data]}, r=r, split=split)
        for data in lam
        for r in (1, 2, 3)
        for split in range(10)
    ]


def released() -> list[Run]:
    """Return the runs of MIPLMA's program on splits of Birdsong-MIPL."""
    plan = []
    for r, splits in LOW.items():
        settings = {**RELEASED, "training__lr": RATES[r]}
        cell = ("miplma-released", "birdsong-mipl", settings)
        plan += _changed(*cell, RELEASED_CHANGES, r, splits)
        plan += _changed(*cell, {"": {}}, r, splits, seeds=(1, 2))
        plan += _scaled(*cell, r, splits)
    return list(dict.fromkeys(plan))


def elimipl() -> list[Run]:
    """Return the runs of ELIMIPL on a third of the pictures of tissue."""
    cell = ("elimipl", "crc-mipl", ELIMIPL)
    return _changed(*cell, ELIMIPL_CHANGES, splits=(0, 1, 3), options=TISSUE)


def _changed(
    method: str,
    data: str,
    settings: Arguments,
    changes: Mapping[str, Arguments],
    r: int = 1,
    splits: Iterable[int] = (),
    seeds: Iterable[int] = (0,),
    options: Mapping[str, Any] | None = None,
) -> list[Run]:
    """Return the runs of a cell, with each of the changes by itself."""
    return [
        Run(method, data, {**settings, **change}, options or {}, r, split, seed)
        for change in changes.values()
        for seed in seeds
        for split in splits
    ]


def _scaled(
    method: str, data: str, settings: Arguments, r: int = 1, splits: Iterable[int] = ()
) -> list[Run]:
    """Return the runs of a cell on features that were scaled before."""
    given = {**settings, "scaling": "none"}
    files = [SCALED / f"{data}-r{r}-{form}.bags.h5" for form in FORMS.values()]
    return [
        Run(method, file.as_posix(), given, split=split)
        for file in files
        for split in splits
    ]


def at_hand(plan: Plan) -> list[Run]:
    """Return a plan whose files of scaled features are written where absent."""
    runs = plan()
    for file in sorted({Path(run.data) for run in runs}):
        if file.parent == SCALED and not file.exists():
            data, r, form = file.name.removesuffix(".bags.h5").rsplit("-", 2)
            dataset = load_dataset(data, r=int(r[1:]))
            SCALED.mkdir(exist_ok=True)
            write_dataset(scaled(dataset, form), file)
    return runs


def scaled(dataset: Dataset, form: str) -> Dataset:
    """Return a data set whose features are scaled with all bags, or each with its own.

    Parameters
    ----------
    dataset : Dataset
    form : {"all", "bag", "range"}
        z-scores with the instances of all bags, those to test on too; with those of
        each bag; or all instances moved into 0 to 1.
    """
    bags = dataset.bags
    if form == "bag":
        each = [StandardScaler().fit_transform(np.float64(bag)) for bag in bags]
        return replace(dataset, bags=bags.with_instances(np.concatenate(each)))
    transformer = {"all": StandardScaler, "range": MinMaxScaler}[form]()
    return replace(dataset, bags=PerInstance(transformer).fit_transform(bags))


def fates(model: Any, train: Dataset, test: Dataset) -> dict[str, float]:
    """Return what has become of classes, outputs and label weights."""
    n_classes = len(model.classes_)
    told: dict[str, float] = {
        "classes_never_said": n_classes - len(set(model.predict(test.bags)))
    }
    true = train.candidates.encode(train.labels)
    told["true_weight"] = float(
        model.label_weights_[np.arange(len(train)), true].mean()
    )
    if isinstance(model.module_.head, SigmoidSoftmaxHead):
        outputs = _squashed(model, train)
        told["classes_without_gradient"] = int((outputs < CLAMP).all(axis=0).sum())
        first, second = np.sort(_squashed(model, test), axis=1)[:, :-3:-1].T
        told["bags_tied"] = float((first == second).mean())
    return told


def _squashed(model: Any, data: Dataset) -> Array:
    """Return the outputs before the softmax, (m, k)."""
    head = model.module_.head
    z = torch.as_tensor(model.transform(data.bags)).to(head.classifier.weight)
    with torch.no_grad():
        return head.squash(z).numpy()  # type: ignore[no-any-return]


STUDIES: Mapping[str, Plan] = {
    "demipl": demipl,
    "program": program,
    "released": released,
    "elimipl": elimipl,
}

if __name__ == "__main__":
    plans = {name: partial(at_hand, plan) for name, plan in STUDIES.items()}
    study(__doc__, plans, fates)
