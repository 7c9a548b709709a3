"""Self-contained HTML pages: one file, no address outside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from mipl import __version__
from mipl.data.description import Description
from mipl.files import write_text
from mipl.reports.bag_plots import draw_bag
from mipl.reports.number_text import DEMO_COLUMNS, demo_rows, number
from mipl.reports.plots import as_svg, draw_curves
from mipl.runs.demo import CONTESTANTS, Run

_TEMPLATES = files("mipl.reports").joinpath("templates")
PANELS = (
    ("loss", "training loss"),
    ("margin_mean", "mean margin: best candidate minus best non-candidate"),
    ("margin_violation_rate", "share of bags with a violated margin"),
    ("resolved", "share of candidate sets resolved (a weight of 0.9 or more)"),
)


def render(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template of this package; text is escaped, pictures are not."""
    pages = Environment(
        loader=FunctionLoader(
            lambda name: _TEMPLATES.joinpath(name).read_text("utf-8")
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return pages.get_template(template).render(version=__version__, **values)


def write_demo_page(
    path: str | Path, data: Description, runs: Sequence[Run], seconds: float
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


def _of(runs: Sequence[Run], contestant: str) -> list[Run]:
    own = [run for run in runs if run.contestant == contestant and run.history]
    return sorted(own, key=lambda run: run.fold)


def _histories(
    runs: Sequence[Run],
) -> list[tuple[str, list[list[dict[str, float]]]]]:
    found = [(one.title, _of(runs, one.id)) for one in CONTESTANTS]
    return [(title, [run.history for run in own]) for title, own in found if own]


def _epochs(runs: Sequence[Run]) -> int:
    return max(len(run.history) for run in runs)


def _bags(runs: Sequence[Run]) -> list[dict[str, Any]]:
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
