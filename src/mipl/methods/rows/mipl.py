"""Registry rows of the multi-instance partial-label methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.methods.row import Reference, Row
from mipl.methods.rows import mipl_published as published

_MIPLMA = Reference(
    text="Tang, Yang, Wang, Zhang, Zhang: Multi-instance partial-label learning with "
    "margin adjustment. NeurIPS 2024.",
    bibtex="""\
@inproceedings{tang2024miplma,
  author    = {Wei Tang and Yin-Fang Yang and Zhaofei Wang and Weijia Zhang and
               Min-Ling Zhang},
  title     = {Multi-Instance Partial-Label Learning with Margin Adjustment},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2024},
}""",
)

_NO_LABEL_MARGIN = {"lam": 0.0}
_NO_ATTENTION_MARGIN = {"tau": 1.0, "tau_min": 1.0, "tau_decay": 1.0}


def _miplma(
    id: str,
    title: str,
    summary: str,
    preset: str = "released",
    arguments: Mapping[str, Any] | None = None,
) -> Row:
    return Row(
        id,
        title,
        family="mipl",
        summary=summary,
        path="mipl.methods.mipl.miplma:MIPLMA",
        reference=_MIPLMA,
        preset=preset,
        arguments=arguments or {},
        published=published.MIPLMA,
    )


ROWS = (
    _miplma(
        "miplma",
        "MIPLMA",
        "Margin-aware attention and margin distribution loss; this library's setting, "
        "batched, the same for all data.",
        preset="",
    ),
    _miplma(
        "miplma-released",
        "MIPLMA, released",
        "What the authors' program computes, one bag per step.",
    ),
    _miplma(
        "miplma-paper",
        "MIPLMA, paper",
        "The paper's equations to the letter, one step per epoch.",
        preset="paper",
    ),
    _miplma(
        "miplma-mains",
        "MIPL-MaIns",
        "Ablation of the released form: margins of attention only, no margin loss.",
        arguments=_NO_LABEL_MARGIN,
    ),
    _miplma(
        "miplma-malab",
        "MIPL-MaLab",
        "Ablation of the released form: margins of labels only, temperature fixed.",
        arguments=_NO_ATTENTION_MARGIN,
    ),
    _miplma(
        "miplma-woma",
        "MIPL-WoMa",
        "Ablation of the released form: without any margin adjustment.",
        arguments=_NO_LABEL_MARGIN | _NO_ATTENTION_MARGIN,
    ),
    _miplma(
        "miplma-mamm",
        "MIPL-MaMm",
        "Ablation of the released form: mean of the margins, without their spread.",
        arguments={"margin": "mean"},
    ),
)
