"""Self-contained HTML pages: one file, no address outside it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from mipl import __version__
from mipl.plain_text import plain

_TEMPLATES = files("mipl.reports").joinpath("templates")
PANELS = (
    ("loss", "training loss"),
    ("margin_mean", "mean margin: best candidate minus best non-candidate"),
    ("margin_violation_rate", "share of bags with a violated margin"),
    ("resolved", "share of candidate sets resolved (a weight of 0.9 or more)"),
)


def _shown(value: Any) -> Any:
    """Let text pass the gate; what is markup already was made here."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return plain(value, keep="\n")
    return value


def render(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template of this package; text is escaped, pictures are not."""
    pages = Environment(
        loader=FunctionLoader(
            lambda name: _TEMPLATES.joinpath(name).read_text("utf-8")
        ),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return pages.get_template(template).render(version=__version__, **values)
