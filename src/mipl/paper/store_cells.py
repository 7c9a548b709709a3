"""Cells of whatever a store holds: methods and data sets of one's own among them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mipl.datasets import CATALOG
from mipl.datasets.published_sets import SOURCES, PublishedSet
from mipl.errors import MiplError, unknown
from mipl.methods.catalogue.registry import find
from mipl.paper.cells import Cell, Spot
from mipl.paper.entrants import Entrant
from mipl.runs.comparison import Setting
from mipl.runs.result import DIVERGED, Result
from mipl.runs.run import Facts, Run
from mipl.runs.store import SETTLED, Store

ACCURACY, SECONDS = "accuracy", "seconds"
# What is better where it is lower.
LOWER = (
    "ece",
    SECONDS,
    "violation_rate",
    "instance_violation_rate",
    "all_negative_rate",
)
_DEFAULTS, _PUBLISHED = Facts(), Facts({"published": True})
_NOBODY = "of a store"  # Under which nothing was published.


@dataclass(frozen=True)
class ResultChoice:
    """Which results of a store are shown, and of which figure.

    Attributes
    ----------
    methods : ids, or ids with arguments as ``runs compare`` takes them
        All where None; of each without arguments its usual setting: as published for
        the data, its defaults where nothing was, or the one most often run.
    data : names or paths
    r, splits : numbers
    figure : str
        "accuracy", "seconds" or one that ``runs show`` lists.
    varied : names of arguments
        Whose every value is taken.
    titles : mapping of an id or a data set to what it is called
    """

    methods: tuple[str, ...] | None = None
    data: tuple[str, ...] | None = None
    r: tuple[int, ...] | None = None
    splits: tuple[int, ...] | None = None
    figure: str = ACCURACY
    varied: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def lower(self) -> bool:
        """Whether lower figures are better."""
        return self.figure in LOWER


def results_of(store: Store, choice: ResultChoice) -> dict[Spot, list[Result]]:
    """Return the settled results that are chosen, by where their cells stand."""
    latest = {one.run.question: one for one in store.results(SETTLED)}
    inside = [one for one in latest.values() if _inside(one.run, choice)]
    if not inside:
        raise MiplError(f"{store.path} holds no finished run of what is selected.")
    settings = _settings(inside, choice)
    titles = _setting_titles(settings, choice)
    places = _ordered(inside, choice.data)
    found: dict[Spot, list[Result]] = {}
    for setting in settings:
        entrant = Entrant(
            setting.method, titles[setting], _NOBODY, setting.arguments, _NOBODY
        )
        for name, options, r in places:
            here = [one for one in inside if _place(one.run) == (name, options, r)]
            mine = [one for one in here if _setting(one.run) == setting]
            if not mine and _stands_in(setting, choice):
                defaults = Setting(setting.method, Facts())
                mine = [one for one in here if _setting(one.run) == defaults]
            if mine:
                source = _source(name, options, choice)
                spot = Spot(entrant, source, r if name in CATALOG else None)
                found[spot] = mine
    return found


def _place(run: Run) -> tuple[str, Mapping[str, Any], int]:
    return run.data, run.options, run.r


def _stands_in(setting: Setting, choice: ResultChoice) -> bool:
    """Tell whether defaults stand in where nothing was published."""
    return setting.arguments == _PUBLISHED and setting.name not in (
        choice.methods or ()
    )


def cells_of(found: Mapping[Spot, Sequence[Result]], figure: str) -> dict[Spot, Cell]:
    """Return a figure of results as cells, a value for each split and seed."""
    splits: dict[tuple[PublishedSet, int | None], set[Any]] = {}
    for spot, results in found.items():
        keys = {(one.run.split, one.run.seed) for one in results}
        splits.setdefault((spot.source, spot.r), set()).update(keys)
    cells = {}
    for spot, results in found.items():
        values = {(o.run.split, o.run.seed): value_of(o, figure) for o in results}
        cells[spot] = Cell(
            spot,
            {key: value for key, value in values.items() if value is not None},
            len(splits[spot.source, spot.r]),
            sum(one.state == DIVERGED for one in results),
        )
    if not any(cell.values for cell in cells.values()):
        several = (one.figures for results in found.values() for one in results)
        known = {ACCURACY, SECONDS, *(name for figures in several for name in figures)}
        raise unknown("figure of these results", figure, known)
    return cells


def value_of(result: Result, figure: str) -> float | None:
    """Return a figure of a result; None of one that did not finish or has it not."""
    if result.accuracy is None:
        return None
    if figure == ACCURACY:
        return result.accuracy
    return result.seconds if figure == SECONDS else result.figures.get(figure)


def argument_value(entrant: Entrant, name: str) -> Any:
    """Return the value of an argument, given or by default; None of an unknown one."""
    if name in entrant.arguments:
        return entrant.arguments[name]
    try:
        return find(entrant.method).defaults().get(name)
    except MiplError:  # A method of one's own that is not registered here.
        return None


def _inside(run: Run, choice: ResultChoice) -> bool:
    ids = [_id(text) for text in choice.methods or ()]
    return (
        (not ids or run.method in ids)
        and (choice.data is None or _is_named(run.data, choice.data))
        and (choice.r is None or run.r in choice.r or run.data not in CATALOG)
        and (choice.splits is None or run.split in choice.splits)
    )


def _is_named(data: str, names: Iterable[str]) -> bool:
    """Tell whether a data set is among names; a file may be named as it was given."""
    return any(data in (name, str(Path(name).absolute())) for name in names)


def _setting(run: Run) -> Setting:
    return Setting(run.method, run.arguments)


def _id(text: str) -> str:
    return text.strip().partition(" ")[0]


def _settings(results: Sequence[Result], choice: ResultChoice) -> list[Setting]:
    """Return the settings to show, in the order of the methods."""
    counts = Counter(_setting(one.run) for one in results)
    named = choice.methods or tuple(dict.fromkeys(one.method for one in counts))
    chosen: dict[Setting, None] = {}
    for text in named:
        known = [one for one in counts if one.method == _id(text)]
        if not known:
            raise MiplError(
                f"there is no finished run of {_id(text)!r} among what is selected."
            )
        base = _base(text, known, counts)
        own = _without(base, choice.varied)
        chosen |= dict.fromkeys(one for one in known if _alike(one, own, base, choice))
    return list(chosen)


def _base(
    text: str, known: Sequence[Setting], counts: Mapping[Setting, int]
) -> Setting:
    """Return the setting that is named; else as published, by default, as most ran."""
    id, _, given = text.strip().partition(" ")
    if given:
        try:
            wanted = Setting(id, Facts(dict(json.loads(given))))
        except (ValueError, TypeError):
            raise MiplError(
                f'arguments are written as JSON, {{"lam": 0.5}}; got {given!r}.'
            ) from None
        if wanted not in known:
            names = "; ".join(one.name for one in known[:5])
            raise MiplError(f"{text!r} was not run; name one of these: {names}.")
        return wanted
    for arguments in (_PUBLISHED, _DEFAULTS):
        if Setting(id, arguments) in known:
            return Setting(id, arguments)
    return max(known, key=lambda one: counts[one])


def _without(one: Setting, varied: Sequence[str]) -> dict[str, Any]:
    return {n: v for n, v in one.arguments.items() if n not in varied}


def _alike(
    one: Setting, own: Mapping[str, Any], base: Setting, choice: ResultChoice
) -> bool:
    return one == base or (bool(choice.varied) and _without(one, choice.varied) == own)


def _setting_titles(
    settings: Sequence[Setting], choice: ResultChoice
) -> dict[Setting, str]:
    """Return what each is called: its method, with what tells it from others of it."""
    told = {}
    for one in settings:
        others = [
            _without(s, choice.varied) for s in settings if s.method == one.method
        ]
        own = _without(one, choice.varied)
        differing = {
            name: value
            for name, value in own.items()
            if any(other.get(name, ...) != value for other in others)
        }
        name = choice.titles.get(one.method) or _method_title(one.method)
        told[one] = ", ".join([name, *_written(differing)])
    return told


def _method_title(id: str) -> str:
    try:
        return find(id).title
    except MiplError:  # Of a method of one's own, which a table need not load.
        return id


def _written(values: Mapping[str, Any]) -> list[str]:
    return [f"{name.replace('__', '.')}={value}" for name, value in values.items()]


def _ordered(
    results: Sequence[Result], names: Sequence[str] | None
) -> list[tuple[str, Any, int]]:
    """Return the data sets with their options and r, as they were named."""
    found = dict.fromkeys(_place(one.run) for one in results)
    order = list(dict.fromkeys(name for name, *_ in found))
    if names is not None:
        given = [d for name in names for d in order if _is_named(d, [name])]
        order = list(dict.fromkeys(given))
    return sorted(found, key=lambda one: (order.index(one[0]), one[2]))


def _source(
    name: str, options: Mapping[str, Any], choice: ResultChoice
) -> PublishedSet:
    """Return the data set as tables name it."""
    for one in SOURCES.values():
        if (one.name, dict(one.options)) == (name, dict(options)):
            title = choice.titles.get(name, one.title)
            return PublishedSet(one.id, title, name, options)
    called = [t for given, t in choice.titles.items() if _is_named(name, [given])]
    stem = name if name in CATALOG else Path(name).name.partition(".")[0] or name
    title = called[0] if called else ", ".join([stem, *_written(options)])
    return PublishedSet(f"{name} {Facts(options).text}", title, name, Facts(options))
