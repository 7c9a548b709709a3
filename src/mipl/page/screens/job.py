"""A training as it goes on: curves, time, and the ways to hold it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from mipl.errors import MiplError
from mipl.files import read_bounded
from mipl.page import cards, charts
from mipl.page.answer_changes import CHANGED, HEADER, UNCHANGED
from mipl.page.jobs import FINISHED, PAUSED, WAITING, Job
from mipl.page.training_view import (
    CurvesSoFar,
    Lines,
    duration,
    seconds_left,
    training_curves,
)
from mipl.page.visit import Visit
from mipl.runs.run_files import EVALUATION

_EVERY = 1.0  # Seconds.
_LONG_LIST = 12
_WORDS = {
    "waiting": "Waiting for the training before it",
    "starting": "Starting",
    "running": "Training",
    "paused": "Paused; its state is saved",
    "finished": "Finished",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


async def build(visit: Visit) -> None:
    """Show a training, and keep showing it."""
    job = visit.jobs.job(visit.ids["job"])
    cards.heading(job.title, job.arguments.get("out", ""))
    await JobView(visit, job).show()


class JobView:
    """The parts of the screen that change."""

    def __init__(self, visit: Visit, job: Job) -> None:
        self.visit, self.job = visit, job
        self.charts: dict[str, ui.echart] = {}
        self.state = ""
        self.acting = asyncio.Lock()

    async def show(self) -> None:
        """Draw it once, and then whatever has changed each second."""
        with cards.section():
            self.words = ui.label("").classes("h2").props("role=status")
            self.time = ui.label("").classes("note")
            self.bar = ui.element("progress").props("max=100 aria-label=Progress")
            self.buttons = ui.element("div")
            self.sentence = ui.element("div")
        self.figures = ui.element("div")
        with cards.columns(420):
            for name, title, note in _CHARTS:
                self._chart(name, title, note)
        with cards.section("Settings"):
            cards.figures(_settings(self.job.arguments["settings"]), "wide")
        await self._look()
        self.timer = ui.timer(_EVERY, self._look)

    def _chart(self, name: str, title: str, note: str) -> None:
        with cards.section(title, note):
            empty = charts.lines({}, self.visit.dark)
            self.charts[name] = cards.chart(empty, title, 240)

    async def _look(self) -> None:
        job, curves = await self.visit.work(self._now)
        self._told(job, curves)
        for name, lines in _of(curves).items():
            self._draw(name, lines, curves)
        if job.state != self.state:
            self.state = job.state
            self._changed(job)

    def _now(self) -> tuple[Job, CurvesSoFar]:
        self.visit.jobs.kill_overdue()
        job = self.visit.jobs.job(self.job.id)
        return job, training_curves(job.figures())

    def _told(self, job: Job, curves: CurvesSoFar) -> None:
        self.words.set_text(_WORDS.get(job.state, job.state))
        worked = job.worked()
        so_far = "" if job.over else " so far"
        told = [f"{duration(worked)}{so_far}"] if worked else []
        if curves.total:
            told.append(f"epoch {curves.done:g} of {curves.total:g}")
        left = seconds_left(curves, worked)
        if job.at_work and left is not None:
            told.append(f"about {duration(left)} left")
        self.time.set_text(", ".join(told))
        share = 100 if job.state == FINISHED else round(100 * curves.share)
        self.bar.props["value"] = str(share)

    def _draw(self, name: str, lines: Lines, curves: CurvesSoFar) -> None:
        chart = self.charts[name]
        made = charts.lines(lines, self.visit.dark)
        made["xAxis"]["min"], made["xAxis"]["max"] = 0, curves.total or "dataMax"
        if made["series"] != chart.options.get("series"):
            chart.options.clear()
            chart.options.update(made)
            chart.update()

    def _changed(self, job: Job) -> None:
        """Offer what can be done now, and tell what came of it."""
        jobs, id = self.visit.jobs, job.id
        self.buttons.clear()
        with self.buttons, cards.bar():
            if job.at_work:
                cards.button("Pause", self._does(jobs.pause))
            if job.state in (PAUSED, "failed", "cancelled"):
                cards.button("Go on", self._does(jobs.go_on), "main")
            if job.at_work or job.state in (PAUSED, WAITING):
                cards.button("Cancel", self._does(jobs.cancel), "danger")
            if job.state == FINISHED:
                cards.to("Train another", "/train")
        self.sentence.clear()
        if job.sentence:
            with self.sentence:
                cards.failed(job.sentence)
        self.figures.clear()
        if job.state == FINISHED:
            with self.figures:
                _answered(job.result())
                with cards.section("On the bags it was not trained on"):
                    _evaluation(self.visit, job)
        assert id

    def _does(self, act: Callable[[str], Any]) -> Callable[[], Any]:
        async def does() -> None:
            async with self.acting:  # One after another, in the order of the clicks.
                await self.visit.work(act, self.job.id)
            await self._look()

        return does


_CHARTS = (
    ("judged", "What it says", "of bags it does not learn from, where there are some"),
    ("terms", "Loss", "each term of it"),
    ("margins", "Margins", "between the best candidate and the best other class"),
    ("resolved", "Resolved sets", "share of ambiguous sets with one clear label"),
)


def _of(curves: CurvesSoFar) -> dict[str, Lines]:
    return {
        "judged": curves.judged,
        "terms": curves.terms,
        "margins": curves.margins,
        "resolved": curves.resolved,
    }


def _settings(settings: dict[str, Any]) -> dict[str, object]:
    told: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            start = "training: " if name == "training" else ""
            told |= {f"{start}{_words(n)}": _short(one) for n, one in value.items()}
        else:
            told[name] = value
    return told


def _words(name: str) -> str:
    return name.replace("_", " ")


def _short(value: object) -> object:
    """Return a setting; of a long list how long it is."""
    if isinstance(value, list) and len(value) > _LONG_LIST:
        return f"{len(value)} values"
    return value


def _answered(result: dict[str, Any]) -> None:
    """Tell what answers have changed, where it was trained again with some."""
    found, sentence = result.get(CHANGED, {}), result.get(UNCHANGED, "")
    if not found and not sentence:
        return
    with cards.section("What the answers changed", "before → with the answers"):
        if sentence:
            cards.text(cards.begun(sentence), "note")
            return
        rows = {name: row.replace("->", "→") for name, row in found["rows"].items()}
        cards.figures(rows)
        if found["examples"]:
            cards.text("Bags of which the model says another class now", "note")
            cards.table(HEADER, found["examples"], label="Other predictions")


def _evaluation(visit: Visit, job: Job) -> None:
    path = visit.workspace.folder / job.arguments["out"] / EVALUATION
    if not path.exists():
        cards.text("It was trained on all bags; none is left to judge it by.", "note")
        return
    try:
        found = json.loads(read_bounded(path, 1 << 24))
    except (MiplError, ValueError):
        cards.text("Its figures cannot be read.", "note")
        return
    cards.figures(_flat(found), "wide")


def _flat(values: dict[str, Any], start: str = "") -> dict[str, object]:
    told: dict[str, object] = {}
    for name, value in values.items():
        words = f"{start}{name}".replace("_", " ")
        if isinstance(value, dict):
            told |= _flat(value, f"{words}: ")
        elif isinstance(value, float):
            told[words] = f"{value:.3f}"
        elif isinstance(value, (int, str)):
            told[words] = value
    return told
