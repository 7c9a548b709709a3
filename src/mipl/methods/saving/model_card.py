"""The model card: what a saved model is, for people."""

from __future__ import annotations

import inspect
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

if TYPE_CHECKING:
    from mipl.methods.saving.model_file import ModelFile


_TEMPLATE = files("mipl.methods").joinpath("model_card.md.j2")


def render(estimator: Any, model: ModelFile) -> str:
    """Return the card of a model as Markdown."""
    page = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)
    page.filters["plain"] = plain
    return page.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        name=type(estimator).__name__,
        summary=inspect.getdoc(type(estimator)).partition("\n")[0],  # type: ignore[union-attr]
        reference=_reference(getattr(estimator, "estimator", estimator)),
        arguments=estimator.get_params(),
        classes=estimator.classes_.tolist(),
        features=estimator.n_features_in_,
        weights=getattr(estimator, "label_weights_", None),
        last=(getattr(estimator, "history_", None) or [{}])[-1],
        calibrated=model.facts["conformal"],
        data=model.data,
        figures=model.figures,
        versions=model.versions,
    )


def plain(value: Any) -> str:
    r"""Return a value on one line, without what Markdown would take for markup.

    Examples
    --------
    >>> plain("a|b\n<script>")
    'a b script'
    """
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    kept = "".join(
        letter if letter not in "|`<>[]\\" and letter.isprintable() else " "
        for letter in text
    )
    return " ".join(kept.split())[:200]


def _reference(estimator: Any) -> str:
    """Return the text under References in the class's docstring."""
    text = inspect.getdoc(type(estimator)) or ""
    _, _, tail = text.partition("References\n----------\n")
    return " ".join(tail.split())
