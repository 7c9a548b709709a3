"""Two settings against each other, on the splits that both were run on."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from mipl.errors import MiplError
from mipl.metrics.significance import t_test, verdict
from mipl.runs.result import Result
from mipl.runs.run import Facts
from mipl.runs.store import Store


@dataclass(frozen=True)
class Setting:
    """A method with its arguments.

    Examples
    --------
    >>> Setting("demipl", Facts({"published": True})).name
    'demipl {"published": true}'
    """

    method: str
    arguments: Mapping[str, Any]

    @property
    def name(self) -> str:
        """As ``find_setting`` reads it."""
        text = Facts(self.arguments).text
        return self.method if text == "{}" else f"{self.method} {text}"


@dataclass(frozen=True)
class Comparison:
    """Two settings on one data set and r.

    Attributes
    ----------
    data, options, r
        Of the runs.
    splits : int
        How many runs both have: of the same split and seed, on the same content.
    a, b : float
        Mean accuracies on them.
    p_value : float or None
        Of the two-sided t-test; None where there are fewer than two.
    verdict : {"win", "tie", "loss", ""}
        Of a against b, at the level .05.
    """

    data: str
    options: Mapping[str, Any]
    r: int
    splits: int
    a: float
    b: float
    p_value: float | None
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self) | {"options": dict(self.options)}


def find_setting(store: Store, text: str) -> Setting:
    """Return the setting that ``METHOD`` or ``METHOD {"name": value}`` names.

    Without arguments it is the one that was run without any, or the only one.
    """
    id, _, given = text.strip().partition(" ")
    known = list(dict.fromkeys(one.run.arguments for one in store.results(method=id)))
    if not known:
        raise MiplError(f"{store.path} holds no finished run of {id!r}.")
    wanted = _arguments(given) if given else Facts()
    if wanted in known:
        return Setting(id, wanted)
    if not given and len(known) == 1:
        return Setting(id, known[0])
    names = "; ".join(Setting(id, arguments).name for arguments in known[:5])
    raise MiplError(
        f"{text!r} names no setting in {store.path}; name one of these: {names}."
    )


def _arguments(text: str) -> Facts:
    try:
        return Facts(dict(json.loads(text)))
    except (ValueError, TypeError):
        raise MiplError(
            f'arguments are written as JSON, {{"lam": 0.5}}; got {text!r}.'
        ) from None


def compare(
    store: Store, a: Setting, b: Setting, paired: bool = True
) -> list[Comparison]:
    """Compare two settings wherever both were run on a split with a seed.

    Parameters
    ----------
    store : Store
    a, b : Setting
    paired : bool
        Whether the t-test takes differences split by split, or the results as two
        groups.
    """
    found = []
    ours, theirs = _cells(store, a), _cells(store, b)
    for cell, results in ours.items():
        pairs = _pairs(results, theirs.get(cell, []))
        if pairs:
            found.append(_compared(results[0], pairs, paired))
    return found


def _cells(store: Store, one: Setting) -> dict[Hashable, list[Result]]:
    cells: dict[Hashable, list[Result]] = defaultdict(list)
    for result in store.results(method=one.method, arguments=one.arguments):
        run = result.run
        cells[run.data, run.options, run.r].append(result)
    return cells


def _pairs(
    ours: Iterable[Result], theirs: Iterable[Result]
) -> list[tuple[float, float]]:
    """Return the accuracies on common runs; data of unknown content are believed."""
    others = defaultdict(list)
    for one in theirs:
        others[one.run.split, one.run.seed].append(one)
    found = []
    for one in ours:
        for other in others[one.run.split, one.run.seed]:
            contents = {one.run.content, other.run.content} - {""}
            if len(contents) < 2:
                found.append((one.accuracy or 0.0, other.accuracy or 0.0))
                break
    return found


def _compared(
    one: Result, pairs: list[tuple[float, float]], paired: bool
) -> Comparison:
    run = one.run
    a, b = (list(values) for values in zip(*pairs, strict=True))
    several = len(pairs) > 1
    return Comparison(
        run.data,
        run.options,
        run.r,
        len(pairs),
        fmean(a),
        fmean(b),
        t_test(a, b, paired=paired).p_value if several else None,
        verdict(a, b, paired=paired) if several else "",
    )
