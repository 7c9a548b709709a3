"""``mipl data build``, ``import`` and ``convert``: what writes data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mipl.cli import label_flags as flags
from mipl.cli.lists import names
from mipl.cli.options import (
    FORMATS,
    FalseLabels,
    Json,
    Out,
    Raw,
    Seed,
    Settings,
    SkipBad,
    Writing,
)
from mipl.cli.writing import write
from mipl.runs.named_values import given_options


def build(
    name: Annotated[str, typer.Argument(help="A name of `mipl data list`.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help=f"What to write: {FORMATS}; by default in the cache."
        ),
    ] = None,
    r: FalseLabels = None,
    seed: Seed = None,
    raw: Raw = None,
    settings: Settings = None,
    writing: Writing = None,
    as_json: Json = False,
) -> None:
    """Build a data set of the catalog and write it to a file."""
    from mipl.datasets import CATALOG
    from mipl.datasets.places import cache_dir
    from mipl.errors import unknown

    if name not in CATALOG:
        raise unknown("data set", name, CATALOG)
    from mipl.runs.source import Source

    options = given_options(settings or ())
    dataset = Source(name, r, seed, raw, options).dataset()
    if out is None:
        out = cache_dir() / f"{_stem(name, r, seed, options)}.bags.h5"
    write(dataset, out, as_json, writing)


def _stem(
    name: str, r: int | None, seed: int | None, options: Mapping[str, Any]
) -> str:
    parts = [f"{name}-r{1 if r is None else r}-seed{seed or 0}"]
    parts += [f"{key}-{value}" for key, value in options.items()]
    return "-".join("".join(c if c.isalnum() else "-" for c in p) for p in parts)


def import_(
    path: Annotated[Path, typer.Argument(help="Your file or folder.")],
    out: Out,
    labels: flags.Labels = None,
    annotations: flags.Annotations = None,
    annotators: flags.Annotators = None,
    rule: flags.Rule = None,
    unsure: flags.Unsure = None,
    slides: Annotated[
        Path | None,
        typer.Option(help="Table of patients and their files; labels are by patient."),
    ] = None,
    splits: Annotated[
        Path | None, typer.Option(help="Your own splits: a file, or a folder.")
    ] = None,
    bag_id: flags.BagId = None,
    candidates: flags.CandidateColumns = None,
    label: flags.Label = None,
    group: flags.Group = None,
    split: flags.SplitColumn = None,
    file: Annotated[
        str | None, typer.Option(help="Column of file names, for folders.")
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option(help="Columns a,b,c that are features.")
    ] = None,
    coords: Annotated[
        list[str] | None, typer.Option(help="Columns a,b that are coordinates.")
    ] = None,
    classes: flags.Classes = None,
    variable: Annotated[
        str | None, typer.Option(help="Variable of a .mat file that holds the bags.")
    ] = None,
    settings: Settings = None,
    writing: Writing = None,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Read your own data and write them as a data set.

    Reads MATLAB (MIPL and PLL layouts), NumPy archives, CSV and Parquet tables with a
    row per instance, and folders with a file per bag, as TRIDENT, CLAM, STAMP and
    torchmil write them; the content decides.
    """
    told = flags.told(
        labels=labels,
        annotations=annotations,
        annotators=annotators,
        rule=rule,
        unsure=unsure,
        slides=slides,
        splits=splits,
        bag_id=bag_id,
        candidates=candidates,
        label=label,
        group=group,
        split=split,
        file=file,
        features=names(features),
        coords=names(coords),
        classes=classes,
        variable=variable,
    )
    from mipl.errors import MiplError

    more = given_options(settings or ())
    for name in told.keys() & more.keys():
        raise MiplError(f"{name}= is given twice, as --set {name}=, too; give it once.")
    _converted(path, out, told | more, writing, as_json, skip_bad)


def convert(
    path: Annotated[Path, typer.Argument(help="The file or folder to read.")],
    out: Annotated[Path, typer.Argument(help=f"What to write: {FORMATS}.")],
    settings: Settings = None,
    writing: Writing = None,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Write a data set in another format, which the name of the new file decides."""
    told = given_options(settings or ())
    _converted(path, out, told, writing, as_json, skip_bad)


def _converted(
    path: Path,
    out: Path,
    options: dict[str, Any],
    writing: list[str] | None,
    as_json: bool,
    skip_bad: bool,
) -> None:
    from mipl.errors import MiplError
    from mipl.io import read_dataset

    if out.exists() and path.exists() and out.samefile(path):
        raise MiplError(f"{out} cannot be converted into itself; give another name.")
    given_options(writing or (), "--write")  # A mistake there is told at once.
    if skip_bad:
        options = {**options, "on_bad": "skip"}
    dataset = read_dataset(path, **options)
    write(dataset, out, as_json, writing, left_out=dataset.facts.get("left_out", {}))
