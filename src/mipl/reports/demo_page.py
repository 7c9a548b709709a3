"""The demo as a table and as a page: figures, curves, and bags with their attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mipl.data.description import Description
from mipl.files import write_text
from mipl.reports.bag_plots import draw_bag
from mipl.reports.html import PANELS, render
from mipl.reports.number_text import number, spread
from mipl.reports.plots import as_svg, draw_curves
from mipl.runs.demo import CONTESTANTS, DemoRun

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


def demo_rows(runs: Sequence[DemoRun]) -> list[list[str]]:
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


def _figures(run: DemoRun) -> tuple[float | None, ...]:
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


def write_demo_page(
    path: str | Path, data: Description, runs: Sequence[DemoRun], seconds: float
) -> None:
    """Write the page of the demo: table, curves, and bags with their attention.

    Parameters
    ----------
    path : path
    data : Description
        Of the data set.
    runs : results of ``demo_runs``
    seconds : float
        What all of it took.
    """
    methods = [one for one in CONTESTANTS if any(r.contestant == one.id for r in runs)]
    page = render(
        "demo.html.j2",
        {
            "data": data,
            "notes": {one.title: one.note for one in methods},
            "columns": DEMO_COLUMNS,
            "rows": demo_rows(runs),
            "folds": len({run.fold for run in runs}),
            "epochs": _epochs(runs),
            "seconds": number(seconds, 0),
            "curves": Markup(as_svg(draw_curves(_histories(runs), PANELS))),
            "bags": _bags(runs),
        },
    )
    write_text(path, page)


def _of(runs: Sequence[DemoRun], contestant: str) -> list[DemoRun]:
    own = [run for run in runs if run.contestant == contestant and run.history]
    return sorted(own, key=lambda run: run.fold)


def _histories(
    runs: Sequence[DemoRun],
) -> list[tuple[str, list[list[dict[str, float]]]]]:
    found = [(one.title, _of(runs, one.id)) for one in CONTESTANTS]
    return [(title, [run.history for run in own]) for title, own in found if own]


def _epochs(runs: Sequence[DemoRun]) -> int:
    return max(len(run.history) for run in runs)


def _bags(runs: Sequence[DemoRun]) -> list[dict[str, Any]]:
    """Return a picture and a caption for each bag shown, of the first fold."""
    attending = [(one.title, _of(runs, one.id)) for one in CONTESTANTS]
    firsts = [(title, own[0]) for title, own in attending if own]
    bags = []
    for told in zip(*(run.shown for _, run in firsts), strict=True):
        rows = [
            (f"{title}: {t.predicted} (p = {t.p.max():.3f}, margin {t.margin:+.3f})", t)
            for (title, _), t in zip(firsts, told, strict=True)
        ]
        names = told[0].classes[told[0].candidates]
        bags.append(
            {
                "name": told[0].name,
                "label": told[0].label,
                "candidates": ", ".join(str(name) for name in names),
                "picture": Markup(as_svg(draw_bag(rows))),
            }
        )
    return bags
