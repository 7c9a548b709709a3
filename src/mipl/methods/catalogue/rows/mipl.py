"""Registry rows of the multi-instance partial-label methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.methods.catalogue.row import Row
from mipl.methods.catalogue.rows import mipl_published as published
from mipl.methods.catalogue.rows import mipl_references as references
from mipl.methods.catalogue.rows import mipl_rivals as rivals

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
        reference=references.MIPLMA,
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
    Row(
        "demipl",
        "DEMIPL",
        family="mipl",
        summary="A sigmoid lets each instance in or out; an entropy makes it decide.",
        path="mipl.methods.mipl.demipl:DEMIPL",
        reference=references.DEMIPL,
        published=rivals.DEMIPL,
    ),
    Row(
        "elimipl",
        "ELIMIPL",
        family="mipl",
        summary="Scaled additive attention; the loss keeps non-candidates low.",
        path="mipl.methods.mipl.elimipl:ELIMIPL",
        reference=references.ELIMIPL,
        published=rivals.ELIMIPL,
    ),
    Row(
        "miplgp",
        "MIPLGP",
        family="mipl",
        summary="A Gaussian process per class on instances, and one for negatives; "
        "Dirichlet labels; inducing points above 1000 instances.",
        path="mipl.methods.mipl.miplgp:MIPLGP",
        reference=references.MIPLGP,
        published=rivals.MIPLGP,
    ),
    Row(
        "promipl",
        "ProMIPL",
        family="mipl",
        summary="A latent true label: one network infers it, one explains the "
        "candidates by it.",
        path="mipl.methods.mipl.promipl:ProMIPL",
        reference=references.PROMIPL,
        published=rivals.PROMIPL,
    ),
    Row(
        "fastmipl",
        "FastMIPL",
        family="mipl",
        summary="A variational mixed-effects model, all bags in one step; each bag is "
        "scored by itself.",
        path="mipl.methods.mipl.fastmipl:FastMIPL",
        reference=references.FASTMIPL,
        published=rivals.FASTMIPL,
    ),
    Row(
        "cdl",
        "CDL",
        family="mipl",
        summary="Settled bags count less, which calibrates; six variants by attention "
        "(dam, sam, mam) and contrast (cc, cn).",
        path="mipl.methods.mipl.cdl:CDL",
        reference=references.CDL,
        published=rivals.CDL,
    ),
    Row(
        "mean-pooling",
        "mean pooling",
        family="mipl",
        summary="Logistic regression on the mean of each bag, every candidate taken as "
        "a label: the simple rival.",
        path="mipl.methods.mipl.mean_pooling:MeanPooling",
        reference=references.MEAN_POOLING,
    ),
)
