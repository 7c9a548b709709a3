"""Import: what was recognised, to be corrected before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from mipl.data.findings import Finding
from mipl.generators.generator_catalog import CATALOGS
from mipl.page import cards
from mipl.page.fields import ChoiceField, TextField, TickField, TickList, fold
from mipl.page.import_request import GENERATORS, as_query, options_of
from mipl.page.jobs import FINISHED, Job
from mipl.page.recognition import ROLES, generators_of
from mipl.page.uploads import source_of
from mipl.page.visit import Visit

_KINDS = {
    "table": "A table with a row per instance",
    "folder": "A folder with a file per bag",
    "hdf5": "A data set of mipl",
    "matlab": "A MATLAB file",
    "npz": "A NumPy archive",
}


async def build(visit: Visit) -> None:
    """Look at the source in a process of its own, and show what it saw."""
    source = await visit.work(_source, visit)
    within = source.relative_to(visit.workspace.folder).as_posix()
    cards.heading("What was recognised", source.name)
    options = options_of(visit.query)
    look = {"source": within, "options": options}
    job = await visit.work(visit.jobs.start, "look", f"Looking at {source.name}", look)
    place = ui.element("div")
    with place:
        await follow_job(visit, job, lambda done: _show(visit, place, done, within))


def _source(visit: Visit) -> Path:
    if "draft" not in visit.ids:
        return visit.workspace.other(visit.ids["source"]).path
    draft = visit.ids["draft"]
    visit.site.uploads.unpack(draft)
    return source_of(visit.site.uploads.draft(draft))


async def follow_job(
    visit: Visit, job: Job, then: Callable[[Job], None], what: str = ""
) -> None:
    """Show that a job is at work, with a button to cancel it, until it is over."""
    with ui.element("div") as around:
        waiting = cards.busy(what or f"{job.title} ...")
        with waiting:
            told = ui.label("").classes("note")
            cards.button("Cancel", lambda: visit.work(visit.jobs.cancel, job.id))

    def look() -> None:
        now = visit.jobs.job(job.id)
        figures = now.figures()
        if figures and figures[-1].get("read") is not None:
            told.set_text(f"{figures[-1]['read']:,} of {figures[-1]['total']:,}")
        if not now.over:
            return
        timer.deactivate()
        around.delete()
        if now.state == FINISHED:
            then(now)
        else:
            cards.failed(now.sentence or "this was cancelled; nothing was written.")

    timer = ui.timer(0.25, look)


def _show(visit: Visit, place: ui.element, job: Job, source: str) -> None:
    found = job.result()
    visit.jobs.remove(job.id)
    with place:
        with cards.columns(380):
            _recognised(visit, found)
            _figures(found)
        if found.get("error"):
            cards.failed(found["error"])
        _findings(found.get("findings", []))
        _bags(found.get("bags", []))
        if not found.get("error"):
            _offer(visit, place, found, source)


def _recognised(visit: Visit, found: dict[str, Any]) -> None:
    seen = found["seen"]
    with cards.section("Recognised as"):
        items = seen["kind"] in CATALOGS
        told = f"{seen['kind']}s: each becomes a bag of instances".capitalize()
        cards.text(told if items else _KINDS.get(seen["kind"], "Nothing that is read"))
        if items:
            ChoiceField(
                "Instances are made by",
                {n: GENERATORS.get(n, n) for n in generators_of(seen["kind"])},
                visit.query.get("generator", ""),
                _again(visit, "generator"),
            )
        if seen["tables"]:
            _tables(visit, seen)
        if seen["columns"]:
            _roles(visit, seen)


def _again(visit: Visit, name: str) -> Callable[[str], None]:
    """Return what looks again with another value of an option."""
    return lambda value: visit.go(visit.again(**{name: value}))


def _tables(visit: Visit, seen: dict[str, Any]) -> None:
    known = {"": "as recognised", **{name: name for name in seen["tables"]}}
    for name, label in (("labels", "Label table"), ("annotations", "Votes")):
        ChoiceField(label, known, visit.query.get(name, ""), _again(visit, name))


def _roles(visit: Visit, seen: dict[str, Any]) -> None:
    cards.text("Its columns were taken for:", "note")
    columns = {name: name for name in seen["columns"]}
    for role, words in ROLES.items():
        if role == "file" and seen["kind"] != "folder":
            continue
        here = seen["roles"].get(role, "")
        told = visit.query.get(role, "")
        usual = f"{here} (recognised)" if here and not told else "as recognised"
        usual = usual if here else "not there"
        ChoiceField(
            words[:1].upper() + words[1:],
            {"": usual, **columns},
            told if told in columns else "",
            _again(visit, role),
        )
    chosen = options_of(visit.query).get("annotators", [])
    unknown = not {"candidates", "label"} & seen["roles"].keys()
    with fold("Columns that hold one annotator's votes each", bool(chosen) or unknown):
        ticks = TickList(columns, chosen)
        cards.button(
            "Take these as votes",
            lambda: visit.go(visit.again(annotators=as_query(ticks.chosen))),
        )
    if chosen or seen["votes"]:
        rules = {"": "all that were named", "2": "named by two or more", "crc": "CRC"}
        ChoiceField(
            "Candidates are",
            rules,
            visit.query.get("rule", ""),
            _again(visit, "rule"),
        )


def _figures(found: dict[str, Any]) -> None:
    rows = {**found.get("figures", {}), **found.get("details", {})}
    seen = found["seen"]
    if not rows and not seen["rows"]:
        return
    with cards.section("What is in it"):
        cards.figures(rows)
        if found.get("left_out"):
            cards.text(f"{len(found['left_out']):,} bags would be left out.", "note")
        if seen["rows"]:
            cards.text(f"The first rows of {seen['labels'] or 'the table'}:", "note")
            cards.table(seen["columns"], seen["rows"], label="First rows")


def _findings(found: list[dict[str, Any]]) -> None:
    told = [one for one in found if one["code"] != "unreadable"]
    if told:
        with cards.section("Findings"):
            for one in told:
                given = {**one, "examples": tuple(one["examples"])}
                cards.finding_card(Finding(**given))


def _bags(bags: list[list[str]]) -> None:
    if bags:
        with cards.section("The first bags"):
            header = ["bag", "instances", "candidates", "true label", "group"]
            cards.table(header, bags, label="The first bags")


def _offer(visit: Visit, place: ui.element, found: dict[str, Any], source: str) -> None:
    kind = found["seen"]["kind"]
    usual = generators_of(kind)[0] if kind in CATALOGS else ""
    stem = Path(source).name.partition(".")[0]
    with cards.section("Write it"):
        name = TextField("Name of the data set", stem)
        skip = TickField("Leave out bags that cannot be used", False)

        async def write() -> None:
            out = await visit.work(visit.workspace.new_dataset, name.text or stem)
            wanted = {
                "source": source,
                "options": options_of(visit.query),
                "out": out.relative_to(visit.workspace.folder).as_posix(),
                "skip_bad": skip.on,
                "generator": usual and (visit.query.get("generator") or usual),
            }
            job = await visit.work(
                visit.jobs.start, "import", f"Importing {stem}", wanted
            )
            place.clear()
            with place:
                await follow_job(visit, job, lambda done: _written(visit, done))

        with cards.bar():
            cards.button("Import", write, "main")
            cards.to("Choose other files", "/import")


def _written(visit: Visit, job: Job) -> None:
    path = visit.workspace.folder / job.result()["data"]
    visit.go(f"/data/{visit.workspace.place(path).id}")
