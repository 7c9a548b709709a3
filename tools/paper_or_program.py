"""What each difference between MIPLMA's paper and its program is worth.

    python -m tools.paper_or_program sival
    python -m tools.paper_or_program sival --known

The authors' program with its published settings, and the same with one of its
departures undone, on three splits of SIVAL-MIPL; then all of them undone but for the
one step per epoch. The numbers are those of docs/paper_and_program.md. The accuracy is
that of test bags: it chooses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.runs.run import Run
from tools.study import study

PROGRAM: Mapping[str, Any] = {
    "lam": 5.0,
    "scaling": "auto",
    "tau_min": 0.1,
    "training__epochs": 100,
    "training__lr": 0.05,
    "width": 128,
}
# By the number of the difference; those of one number belong together in the program.
UNDONE: Mapping[str, Mapping[str, Any]] = {
    "as the program": {},
    "1: z-score after the softmax": {"standardise": "attention"},
    "2: scores not divided by the root of the width": {"scale_scores": False},
    "3: two gates, a linear score, no biases": {
        "shared_gate": False,
        "score_head": "linear",
        "attention_bias": False,
    },
    "4: no sigmoid before the softmax": {"classifier": "softmax"},
    "5: margins not halved": {"margin_scale": 1.0},
    "6, 7: margins of all bags of the epoch": {"margin": "epoch", "margin_ddof": 0},
    "8: label weights before the loss": {"update_first": True},
    "9: the label weights' schedule one epoch on": {"alpha_lag": 0},
    "10: the temperature one epoch on": {"tau_lag": 0},
    "11: one step per epoch": {"training__batch_size": None},
    "12: no Nesterov's momentum": {"training__nesterov": False},
    "14: no dropout": {"dropout": 0.0},
    "15: a width of 512": {"width": 512},
    "16: a gradient through the spread of the scores": {"detach_spread": False},
    "20: raw features": {"scaling": "none"},
}
TOGETHER = "all but 11, 15 and 20"


def sival() -> list[Run]:
    """Return the runs of the program, with each departure undone."""
    every = {
        name: value
        for of, change in UNDONE.items()
        if of.split(":")[0] not in ("11", "15", "20")
        for name, value in change.items()
    }
    return [
        Run("miplma-released", "sival-mipl", {**PROGRAM, **change}, r=1, split=split)
        for change in [*UNDONE.values(), every]
        for split in range(3)
    ]


if __name__ == "__main__":
    study(__doc__, {"sival": sival})
