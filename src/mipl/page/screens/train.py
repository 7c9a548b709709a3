"""Train: data, split, methods and their settings; what is being trained."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from mipl.errors import MiplError
from mipl.page import cards
from mipl.page.fields import Act, ChoiceField, TextField, TickField, TickList, fold
from mipl.page.fit_request import FitRequest, fit_arguments
from mipl.page.jobs import FINISHED, Job
from mipl.page.method_form import (
    CHOICE,
    FLAG,
    FormField,
    MethodChoice,
    form_field,
    method_choices,
    method_parameters,
    read_form,
)
from mipl.page.time_estimate import expected_seconds, trial_of
from mipl.page.training_view import duration
from mipl.page.visit import Visit
from mipl.page.workspace import Place

_FAMILIES = {
    "mipl": "Bags with candidate sets",
    "pll": "One vector per bag with a candidate set",
    "mil": "Bags with one label",
}
_USUAL = "miplma"
_SHOWN_JOBS = 10
_TRIAL_LOOK = 0.5  # Seconds between two looks whether a trial is done.
_MEASURED = "a few epochs are being tried ..."
_UNKNOWN = "not known before the first epochs"


async def build(visit: Visit) -> None:
    """Show what is being trained, and the form."""
    cards.heading("Train", "Each method becomes a run: a folder as mipl fit writes it.")
    jobs = await visit.work(visit.jobs.all, "fit")
    if jobs:
        _jobs(visit, jobs[:_SHOWN_JOBS])
    data = await visit.work(visit.workspace.datasets)
    if not data:
        with cards.empty("No data set yet", "A model needs data to learn from."):
            cards.to("Bring your data", "/import", "main")
        return
    await TrainForm(visit, data).show()


def _jobs(visit: Visit, jobs: list[Job]) -> None:
    with cards.section("Trainings"):
        rows = [
            [one.title, one.state, duration(one.worked()), one.sentence] for one in jobs
        ]
        links = [f"/job/{one.id}" for one in jobs]
        cards.table(["what", "state", "time", ""], rows, links, "Trainings")


class TrainForm:
    """The form of a training; what is chosen stands in its fields."""

    def __init__(self, visit: Visit, data: list[Place]) -> None:
        self.visit, self.data = visit, data
        self.forms: dict[str, MethodForm] = {}
        self.wanted: dict[str, dict[str, Any]] = {}

    async def show(self) -> None:
        """Draw the form."""
        visit = self.visit
        self.methods = await visit.work(method_choices)
        asked = visit.query.get("data", "")
        place = next((one for one in self.data if one.id == asked), self.data[0])
        self.place = place
        told = await visit.work(visit.library.description, place)
        with cards.columns(380):
            with cards.section("1. Data"):
                ChoiceField(
                    "Data set",
                    {one.id: one.name for one in self.data},
                    place.id,
                    lambda id: visit.go(visit.again(data=id)),
                )
                kept = "" if told.groups is None else "; groups are kept whole"
                splits = {"": "all bags: none is left to judge by"} | {
                    str(i): f"split {i}: 7 of 10 bags{kept}" for i in range(10)
                }
                self.split = ChoiceField("Trained on", splits, "0")
                self.calibrate = TextField(
                    "Share kept to calibrate",
                    note="Above 0, below 1: for prediction sets. Empty for none.",
                )
                self.seed = TextField("Seed", "0")
                self.record = TickField(
                    "Record the label weights",
                    act=lambda _: self._estimate(),
                    note="Of training bags, after each epoch: a chart under Explain.",
                )
            with cards.section("2. Methods"):
                self._methods()
        self.settings = ui.element("div")
        with cards.section("4. Begin"):
            self.about = ui.label("").classes("note").props("role=status")
            self.problem = ui.element("div")
            with cards.bar():
                cards.button("Train", self._train, "main")
        self.timer = ui.timer(_TRIAL_LOOK, self._told_of_time, active=False)
        await self._chosen()

    def _methods(self) -> None:
        asked = self.visit.query.get("method", "").split(",")
        known = {one.id for one in self.methods}
        chosen = [id for id in asked if id in known] or [_USUAL]
        self.lists: list[TickList] = []
        for family, words in _FAMILIES.items():
            own = [one for one in self.methods if one.family == family]
            own.sort(key=lambda one: one.id not in chosen)
            opened = any(one.id in chosen for one in own)
            with fold(f"{words} ({len(own)})", opened):
                words_of = {one.id: f"{one.title} · {one.summary}" for one in own}
                ticks = TickList(words_of, chosen)
                for tick in ticks.fields.values():
                    tick.act = lambda _: self._chosen()
                self.lists.append(ticks)

    @property
    def chosen(self) -> list[MethodChoice]:
        """The methods that are on."""
        names = {name for ticks in self.lists for name in ticks.chosen}
        return [one for one in self.methods if one.id in names]

    async def _chosen(self) -> None:
        """Show the settings of the methods that are chosen now."""
        for one in self.chosen:
            if one.id not in self.forms:
                with self.settings:
                    form = MethodForm(self.visit, one, lambda _: self._estimate())
                    self.forms[one.id] = form
                await self.forms[one.id].show()
        names = {one.id for one in self.chosen}
        for id in [id for id in self.forms if id not in names]:
            self.forms.pop(id).card.delete()
        await self._estimate()

    async def _estimate(self) -> None:
        """Tell how long what stands in the forms will take."""
        wanted = {}
        for id, form in self.forms.items():
            request = await self._request(id, form)
            if request is None:
                continue
            try:
                wanted[id] = await self.visit.work(fit_arguments, request)
            except MiplError as error:
                with self.problem:
                    cards.failed(str(error))
        self.wanted = wanted
        await self._told_of_time()

    async def _told_of_time(self) -> None:
        """Show the times that are known; where none is, a trial is made and awaited."""
        told, open_ones = [], False
        jobs = await self.visit.work(self.visit.jobs.all, "fit", "time")
        for id, arguments in self.wanted.items():
            seconds = expected_seconds(arguments["cost"], jobs)
            words = "" if seconds is None else f"about {duration(seconds)}"
            if seconds is None:
                job = await self.visit.work(trial_of, self.visit.jobs, id, arguments)
                words = _UNKNOWN if job.over else _MEASURED
                open_ones = open_ones or not job.over or job.state == FINISHED
            told.append(f"{id}: {words}")
        self.about.set_text("Time: " + "; ".join(told) if told else "Choose a method.")
        self.timer.active = open_ones

    async def _request(self, id: str, form: MethodForm) -> FitRequest | None:
        """Return what the form asks for; None where a field is wrong, which is told."""
        self.problem.clear()
        try:
            return FitRequest(
                self.place,
                id,
                form.arguments(),
                published=form.published.value,
                reduction=form.reduction.value if form.reduction else "",
                split=self.split.value,
                seed=self.seed.text,
                calibrate=self.calibrate.text,
                library=self.visit.library,
                record=self.record.on,
            )
        except MiplError as error:
            with self.problem:
                cards.failed(str(error))
            return None

    async def _train(self) -> None:
        """Start a job for each method; where one is wrong, none."""
        if not self.forms:
            self.about.set_text("Choose a method first.")
            return
        wanted: list[tuple[str, dict[str, Any]]] = []
        for id, form in self.forms.items():
            request = await self._request(id, form)
            if request is None:
                return
            try:
                wanted.append((id, await self.visit.work(fit_arguments, request)))
            except MiplError as error:
                with self.problem:
                    cards.failed(str(error))
                return
        jobs = []
        for id, arguments in wanted:
            work = self.visit.workspace
            out = await self.visit.work(work.new_run, f"{self.place.name}-{id}")
            arguments["out"] = out.relative_to(work.folder).as_posix()
            title = f"{id} on {self.place.name}"
            jobs.append(
                await self.visit.work(self.visit.jobs.start, "fit", title, arguments)
            )
        self.visit.go(f"/job/{jobs[0].id}" if len(jobs) == 1 else "/train")


class MethodForm:
    """The settings of one method."""

    def __init__(self, visit: Visit, method: MethodChoice, changed: Act) -> None:
        self.visit, self.method, self.changed = visit, method, changed
        self.fields: dict[str, TextField | ChoiceField | TickField] = {}
        self.card = ui.element("div")

    async def show(self) -> None:
        """Draw the settings; those of optimisation are folded away."""
        method = self.method
        self.declared = await self.visit.work(method_parameters, method.id)
        made = [form_field(name, one) for name, one in self.declared.items()]
        with self.card, cards.section(f"3. Settings of {method.title}", method.summary):
            known = {"": "the method's defaults"}
            known |= {name: f"published for {name}" for name in method.published_for}
            self.published = ChoiceField(
                "Start from", known, "", self.changed, "What is changed below wins."
            )
            self.reduction: ChoiceField | None = None
            if method.family == "pll":
                ways = {"mean": "mean", "maxmin": "largest and smallest value"}
                ways |= {"": "as it is: bags of one instance"}
                self.reduction = ChoiceField(
                    "A bag becomes a vector by", ways, "mean", self.changed
                )
            self._grid([one for one in made if not one.of_training])
            with fold("Optimisation"):
                self._grid([one for one in made if one.of_training])

    def _grid(self, fields: list[FormField]) -> None:
        with ui.element("div").classes("grid"):
            for one in fields:
                self.fields[one.name] = _drawn(one, self.changed)

    def arguments(self) -> dict[str, Any]:
        """Return what was changed; a wrong value is refused with a sentence."""
        return read_form(self.method.id, self.declared, self.given())

    def given(self) -> dict[str, str]:
        """Return what stands in the fields."""
        return {name: _text(one) for name, one in self.fields.items()}


def _drawn(one: FormField, act: Act) -> TextField | ChoiceField | TickField:
    if one.kind == FLAG:
        return TickField(one.label, bool(one.value), act, one.about)
    if one.kind == CHOICE:
        words = {value: value or "none" for value in one.options}
        return ChoiceField(one.label, words, one.value, act, one.about)
    return TextField(one.label, one.value, one.about, act)


def _text(one: TextField | ChoiceField | TickField) -> str:
    if isinstance(one, TickField):
        return "yes" if one.on else ""
    return one.value if isinstance(one, ChoiceField) else one.text
