"""The figures of docs/mipl_methods.md are those of the committed rows."""

import re
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from tests.tools.committed import committed

from mipl.metrics import t_test

PAGE = Path(__file__).parents[2] / "docs" / "mipl_methods.md"
SPOTS = [(data, r) for data in ("birdsong-mipl", "sival-mipl") for r in (1, 2, 3)]
PUBLISHED = {"published": True}
AS_PUBLISHED = {"standardise": "given", "test_dropout": True}
PARTS = {
    "alpha_lag": 1,
    "attention_bias": True,
    "classifier": "sigmoid-softmax",
    "lam": 0.0001,
    "score_head": "mlp",
    "shared_gate": True,
    "training__lr": 0.05,
    "training__nesterov": True,
    "update_first": False,
}
START = {"start": "means", "start_network": "trained", "keep": 0.99}
STAYING = {
    **PUBLISHED,
    "tau": 0.1,
    "tau_decay": 1.0,
    "training__schedule": "constant",
}
ROWS = {
    "MIPLMA, ours": ("miplma", {}),
    "MIPLMA, released": ("miplma-released", PUBLISHED),
    "CDL, MAM-CN": ("cdl", PUBLISHED),
    **{
        f"CDL, {attention}-{contrast}": (
            "cdl",
            {**PUBLISHED, "attention": attention.lower(), "contrast": contrast.lower()},
        )
        for attention, contrast in (
            ("MAM", "CC"),
            ("SAM", "CN"),
            ("SAM", "CC"),
            ("DAM", "CN"),
            ("DAM", "CC"),
        )
    },
    "ELIMIPL": ("elimipl", PUBLISHED),
    "DEMIPL": ("demipl", PUBLISHED),
    "DEMIPL, learning rate .05, lam .0001": (
        "demipl",
        {**PUBLISHED, "training__lr": 0.05, "lam": 0.0001},
    ),
    "DEMIPL, its program's parts on vectors": ("demipl", {**PUBLISHED, **PARTS}),
    "DEMIPL, its program's parts": ("demipl", {**PUBLISHED, **PARTS}),
    "FastMIPL, as published": ("fastmipl-released", PUBLISHED),
    "FastMIPL, our start, each bag by itself": ("fastmipl", {**PUBLISHED, **START}),
    "FastMIPL, our start, transductive": (
        "fastmipl",
        {**PUBLISHED, **START, **AS_PUBLISHED},
    ),
    "ProMIPL": ("promipl", PUBLISHED),
    "ProMIPL, temperature .1 and rate .05 that stay, a bound on gradients": (
        "promipl",
        {**STAYING, "training__lr": 0.05, "training__clip": 1.0},
    ),
    "ProMIPL, temperature .1 and rate .005 that stay": (
        "promipl",
        {**STAYING, "training__lr": 0.005, "training__clip": None},
    ),
    "MIPLGP": ("miplgp", PUBLISHED),
    "MIPLGP, 200 inducing points, features one distance apart": (
        "miplgp",
        PUBLISHED
        | {"scaling": "auto", "regression": "inducing", "predict_by": "draws"},
    ),
}


def table(head):
    lines = PAGE.read_text().splitlines()
    [first] = [i for i, line in enumerate(lines) if line.startswith(f"| {head} |")]
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def measured(method, arguments, data, r):
    """Return the accuracies of a cell by split."""
    return {
        run.split: one.accuracy
        for run, one in committed().items()
        if (run.method, run.data, run.r) == (method, data, r)
        and run.arguments == arguments
        and not run.options
    }


def text(number):
    return f"{number:.3f}".replace("0.", ".", 1)


def told(values):
    spread = f" ± {text(pstdev(values))}" if len(values) > 1 else ""
    return f"{text(fmean(values))}{spread} ({len(values)})" if values else ""


def test_every_method():
    body = table("method")
    assert len(body) == 15 and {name for name, *_ in body} <= set(ROWS)
    for name, *cells in body:
        for cell, spot in zip(cells, SPOTS, strict=True):
            values = list(measured(*ROWS[name], *spot).values())
            assert cell.split("<br>")[0] == told(values), (name, spot)


def test_the_forms_of_cdl():
    body = table("CDL")
    assert len(body) == 6
    for name, *cells in body:
        attention, contrast = name.lower().split("-")
        given = {**PUBLISHED, "attention": attention, "contrast": contrast}
        given = PUBLISHED if name == "MAM-CN" else given  # By its defaults.
        for cell, spot in zip(cells, SPOTS, strict=True):
            values = list(measured("cdl", given, *spot).values())
            assert cell.split("<br>")[0] == told(values), (name, spot)


def test_differences_to_ours_and_their_tests():
    body = table("difference to MIPLMA, ours (p)")
    assert len(body) == 7
    for name, *cells in body:
        setting = ROWS[name.removesuffix(", ten splits")]
        for cell, spot in zip(cells, SPOTS, strict=True):
            ours, theirs = measured("miplma", {}, *spot), measured(*setting, *spot)
            both = sorted(ours.keys() & theirs.keys())
            if not cell:
                assert len(both) < 10
                continue
            assert len(both) == 10
            a, b = [theirs[s] for s in both], [ours[s] for s in both]
            found = re.fullmatch(r"([-+]\.\d{3}) \(p?(.*)\)", cell)
            gap, p = found.groups()
            assert float(gap) == pytest.approx(fmean(a) - fmean(b), abs=0.00051)
            value = t_test(a, b, paired=True).p_value
            if p == "< .001":
                assert value < 0.001
            else:
                assert float(p) == pytest.approx(value, abs=0.00051)
