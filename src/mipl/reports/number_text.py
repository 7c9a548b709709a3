"""Figures as short text, the same in tables, pages and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mipl.runs.demo import CONTESTANTS, Run

UNKNOWN = "-"


def number(value: float | None, digits: int = 3) -> str:
    """Return a figure with so many digits, or a dash for an unknown one.

    Examples
    --------
    >>> number(0.12345), number(None), number(-1e-9)
    ('0.123', '-', '0.000')
    """
    if value is None:
        return UNKNOWN
    return f"{round(value, digits) + 0.0:.{digits}f}"  # -0.0 + 0.0 is 0.0.


def spread(values: Sequence[float | None], digits: int = 3) -> str:
    """Return mean and sample standard deviation of figures over runs.

    Examples
    --------
    >>> spread([0.9, 1.0]), spread([0.5]), spread([None, None])
    ('0.950 ± 0.071', '0.500', '-')
    """
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    mean = number(float(np.mean(known)), digits)
    if len(known) == 1:
        return mean
    return f"{mean} ± {number(float(np.std(known, ddof=1)), digits)}"


DEMO_COLUMNS: Mapping[str, str] = {
    "accuracy": "share of test bags whose predicted class is the true one",
    "instance AUROC": "how well the instance scores of the true class find its "
    "instances in a bag; 0.5 is chance",
    "attention AUROC": "the same for the attention",
    "ECE": "expected calibration error: confidence minus accuracy, 0 is best",
    "label violations": "test bags in which a non-candidate is likelier than every "
    "candidate",
    "instance violations": "test bags in which a negative instance has more attention "
    "than every positive one",
    "seconds": "of one fit, one thread",
}


def demo_rows(runs: Sequence[Run]) -> list[list[str]]:
    """Return the table of the demo: title, then a cell per ``DEMO_COLUMNS``."""
    rows = []
    for one in CONTESTANTS:
        own = [run for run in runs if run.contestant == one.id]
        if own:
            figures = [_figures(run) for run in own]
            cells = [spread([f[c] for f in figures]) for c in range(6)]
            seconds = spread([run.seconds for run in own], 1)
            rows.append([one.title, *cells, seconds])
    return rows


def _figures(run: Run) -> tuple[float | None, ...]:
    truth, instances = run.evaluation.truth, run.evaluation.instances
    assert truth is not None and instances is not None  # The digits know all of it.
    return (
        truth.accuracy,
        instances.score_auroc,
        instances.attention_auroc,
        truth.ece,
        run.evaluation.candidates.violation_rate,
        instances.violation_rate,
    )
