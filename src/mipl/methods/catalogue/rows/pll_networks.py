"""Registry rows of the partial-label methods that train a network."""

from __future__ import annotations

from mipl.methods.catalogue.row import Published, Row
from mipl.methods.catalogue.rows import mipl_references
from mipl.methods.catalogue.rows import pll_references as references

_PROGRAM = "settings file of the authors' program"

# Data, backbone, learning rate, weight decay, rows per step.
_PRODEN = (
    ("lost", "linear", 1e-2, 1e-2, 100),
    ("birdsong-pll", "linear", 1e-2, 1e-4, 100),
    ("msrcv2", "linear", 1e-1, 1e-3, 100),
    ("soccer-player", "linear", 1e-1, 1e-4, 100),
    ("yahoo-news", "linear", 1e-2, 1e-4, 100),
    ("kmnist", "mlp", 1e-2, 1e-4, 256),
)

_PUBLISHED_PRODEN = tuple(
    Published(
        data,
        None,
        {
            "backbone": backbone,
            "training__lr": lr,
            "training__weight_decay": decay,
            "training__batch_size": rows,
            "training__epochs": 500,
        },
        _PROGRAM,
    )
    for data, backbone, lr, decay, rows in _PRODEN
)

_PUBLISHED_PRODEN_MA = (
    Published(
        "kmnist",
        None,
        {**_PUBLISHED_PRODEN[-1].settings, "lam": 1.0},
        "paper, section on partial-label learning; all but lam as in PRODEN's program",
    ),
)

ROWS = (
    Row(
        "proden",
        "PRODEN",
        family="pll",
        summary="Candidates weighted by what the classifier believes, step by step.",
        path="mipl.methods.pll.proden:PRODEN",
        reference=references.PRODEN,
        published=_PUBLISHED_PRODEN,
    ),
    Row(
        "proden-ma",
        "PRODEN-MA",
        family="pll",
        summary="PRODEN and a loss of the margins between candidates and others.",
        path="mipl.methods.pll.proden_ma:PRODENMA",
        reference=mipl_references.MIPLMA,
        published=_PUBLISHED_PRODEN_MA,
    ),
    Row(
        "rc",
        "RC",
        family="pll",
        summary="Risk-consistent: candidates weighted by the posterior after the step.",
        path="mipl.methods.pll.rc:RC",
        reference=references.CONSISTENT,
    ),
    Row(
        "cc",
        "CC",
        family="pll",
        summary="Classifier-consistent: the likelihood of the candidate set.",
        path="mipl.methods.pll.cc:CC",
        reference=references.CONSISTENT,
    ),
    Row(
        "lws",
        "LWS",
        family="pll",
        summary="A leveraged loss: candidates pulled up, the others pushed down; "
        "sigmoid or cross-entropy form.",
        path="mipl.methods.pll.lws:LWS",
        reference=references.LWS,
    ),
    Row(
        "cavl",
        "CAVL",
        family="pll",
        summary="The candidate of the largest class activation value is the label.",
        path="mipl.methods.pll.cavl:CAVL",
        reference=references.CAVL,
    ),
    Row(
        "pop",
        "POP",
        family="pll",
        summary="PRODEN on candidate sets that shrink: weak candidates leave for good.",
        path="mipl.methods.pll.pop:POP",
        reference=references.POP,
    ),
)
