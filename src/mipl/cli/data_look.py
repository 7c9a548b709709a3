"""``mipl data list``, ``describe`` and ``validate``: looking without changing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from mipl.cli import data_views as views
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Seed, Settings
from mipl.cli.output import FOUND_ERRORS, show_json
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.data.findings import Finding
    from mipl.runs.source import Source


def list_(raw: Raw = None, as_json: Json = False) -> None:
    """List the data sets: what is here, what is missing and how to get it."""
    from mipl.datasets import CATALOG
    from mipl.datasets.availability import missing

    entries = list(CATALOG.values())
    needs = [missing(entry.name, raw) for entry in entries]
    if as_json:
        show_json(
            [
                {
                    "name": entry.name,
                    "title": entry.title,
                    "family": entry.family,
                    "licence": entry.licence,
                    "source": entry.source,
                    "options": entry.options(),
                    "ready": need is None,
                    "needs": need,
                }
                for entry, need in zip(entries, needs, strict=True)
            ]
        )
    else:
        views.show_catalog(entries, needs)


def describe(
    name_or_path: NameOrPath,
    r: FalseLabels = None,
    seed: Seed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Describe a data set: the published table's columns, candidates, bag sizes."""
    from mipl.data.describe import describe
    from mipl.runs.source import Source

    options = given_options(settings or ())
    dataset = Source(name_or_path, r, seed, raw, options).dataset()
    told = describe(dataset)
    if as_json:
        show_json(told.as_dict())
    else:
        views.show_description(told)


def validate(
    name_or_path: NameOrPath,
    r: FalseLabels = None,
    seed: Seed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Report what is wrong or doubtful in a data set; exit code 1 on errors."""
    from mipl.runs.source import Source

    options = given_options(settings or ())
    found, checked = _findings(Source(name_or_path, r, seed, raw, options))
    if as_json:
        show_json([one.as_dict() for one in found])
    else:
        views.show_findings(name_or_path, found, checked)
    if any(one.severity == "error" for one in found):
        raise typer.Exit(FOUND_ERRORS)


def _findings(source: Source) -> tuple[list[Finding], str]:
    """Return the findings, and what they were looked for in."""
    from mipl.data.describe import describe
    from mipl.data.findings import findings_of_error
    from mipl.data.validate import validate
    from mipl.errors import BadBags, BadFile, counted

    try:
        dataset = source.dataset()
    except (BadFile, BadBags) as error:
        return findings_of_error(error), ""
    told = describe(dataset)
    groups = "no groups" if told.groups is None else counted(told.groups, "group")
    return validate(dataset), f"{counted(told.bags, 'bag')}, {groups}"
