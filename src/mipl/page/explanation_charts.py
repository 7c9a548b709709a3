"""Charts of what a model has seen in a bag: its attention, and scores of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mipl.page import cards, charts
from mipl.page.explained_bag import SCALES, scaled
from mipl.page.visit import Visit

if TYPE_CHECKING:
    from mipl.runs.explanation import Explanation

_MOST_BARS = 120
_MOST_SCORES = 40


def attention_chart(visit: Visit, told: Explanation) -> None:
    """Draw the attention, where there is one, on the scale of the address."""
    if told.attention is None:
        return
    scale = visit.query.get("scale", "raw")
    values = scaled(told.attention, scale if scale in SCALES else "raw")
    order = np.argsort(-told.attention, kind="stable")[:_MOST_BARS]
    names = [str(number) for number in order]
    made = charts.bars(
        names, values[order].round(5).tolist(), visit.dark, scale, "instance"
    )
    made["yAxis"].pop("minInterval")  # Nothing is counted.
    cards.text(f"Attention ({scale}), the most attended first", "note")
    cards.chart(made, f"Attention of {len(order)} instances, {scale}", 220)


def score_chart(visit: Visit, told: Explanation) -> None:
    """Draw what each instance speaks for, where the method tells."""
    if told.class_scores is None:
        return
    order = told.order()[:_MOST_SCORES]
    rows = told.class_scores[order].T.round(3).tolist()
    names = [str(number) for number in order]
    made = charts.matrix(told.classes.tolist(), names, rows, visit.dark, "", "instance")
    made["series"][0]["label"]["show"] = False  # There is no room for numbers.
    cards.text("Score of each class per instance, the most attended first", "note")
    height = min(600, 110 + 24 * len(told.classes))
    cards.chart(made, "Class score per instance", height)
