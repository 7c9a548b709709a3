"""Variants: what each part of MIPLMA's released form adds, on every benchmark set."""

from mipl.experiments.entrants import MAMM, RELEASED, VARIANTS
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import BENCHMARKS

TABLE = ScoreTable(
    "variants",
    "Variants of the released form on all benchmark data sets",
    leaders=(RELEASED,),
    rivals=(*VARIANTS, MAMM),
    sources=BENCHMARKS,
)
