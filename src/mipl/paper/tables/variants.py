"""Variants: what each part of MIPLMA's released form adds, on every benchmark set."""

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.entrants import MAMM, RELEASED, VARIANTS
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "variants",
    "Variants of the released form on all benchmark data sets",
    leaders=(RELEASED,),
    rivals=(*VARIANTS, MAMM),
    sources=BENCHMARKS,
)
