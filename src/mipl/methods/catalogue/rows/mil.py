"""Registry rows of the multi-instance methods that train a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.methods.catalogue.row import Published, Row
from mipl.methods.catalogue.rows import mil_references as references
from mipl.methods.catalogue.rows import mipl_references

_CLASSICAL = ("musk1", "musk2", "fox", "tiger", "elephant")
_IMAGES = ("mnist-mipl", "fmnist-mipl")

# As the supplement of Loss-Attention has it; the choice of an epoch on validation bags
# is left out.
_LAYERS = {
    "width": (256, 128, 64),
    "training__lr": 1e-4,
    "training__weight_decay": 5e-4,
    "training__epochs": 100,
}
_SUPPLEMENT = "Loss-Attention, supplement; without its choice of an epoch"
# Both publications' trunk of 28x28 images, and their optimiser.
_TRUNK = {"width": 500, "training__lr": 5e-4, "training__weight_decay": 1e-4}
_PROGRAM = "the authors' program for MNIST bags"


def _for_all(
    names: tuple[str, ...], settings: Mapping[str, Any], source: str
) -> tuple[Published, ...]:
    return tuple(Published(name, None, settings, source) for name in names)


_ABMIL = (
    *_for_all(_CLASSICAL, {**_LAYERS, "head": "sigmoid"}, _SUPPLEMENT),
    *_for_all(
        _IMAGES,
        {**_TRUNK, "dropout": 0.0, "training__epochs": 20},
        _PROGRAM,
    ),
)
_LOSS_ATTENTION = (
    *_for_all(_CLASSICAL, {**_LAYERS, "lam": 0.1}, _SUPPLEMENT),
    *_for_all(
        _IMAGES, {**_TRUNK, "lam": 2.0, "training__epochs": 50}, "paper, multi-class"
    ),
)
_MAAM = tuple(
    Published(
        data,
        0,
        {"tau": 5.0, "tau_min": 0.1, "training__lr": lr, "training__epochs": 100},
        "paper, section on MIL; epochs as MIPLMA",
    )
    for data, lr in (("mnist-mipl", 0.005), ("fmnist-mipl", 0.01))
)

ROWS = (
    Row(
        "abmil",
        "ABMIL",
        family="mil",
        summary="Attention pooling: a small network scores each instance.",
        path="mipl.methods.mil.abmil:ABMIL",
        reference=references.ABMIL,
        published=_ABMIL,
    ),
    Row(
        "abmil-gated",
        "ABMIL, gated",
        family="mil",
        summary="Attention pooling with a gate in the score of an instance.",
        path="mipl.methods.mil.gated_abmil:GatedABMIL",
        reference=references.ABMIL,
        published=_ABMIL,
    ),
    Row(
        "loss-attention",
        "Loss-Attention",
        family="mil",
        summary="Instances weigh what evidence the bag's own classifier sees in them.",
        path="mipl.methods.mil.loss_attention:LossAttention",
        reference=references.LOSS_ATTENTION,
        published=_LOSS_ATTENTION,
    ),
    Row(
        "maam",
        "MAAM",
        family="mil",
        summary="MIPLMA's margin-aware attention, learnt from true labels.",
        path="mipl.methods.mil.maam:MAAM",
        reference=mipl_references.MIPLMA,
        published=_MAAM,
    ),
    Row(
        "mivae",
        "MIVAE",
        family="mil",
        summary="A variational auto-encoder of instances and of what a bag shares; the "
        "best instance speaks for its bag.",
        path="mipl.methods.mil.mivae:MIVAE",
        reference=references.MIVAE,
    ),
)
