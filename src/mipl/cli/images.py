"""``mipl images``: from pictures to bags."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mipl.cli import label_flags as flags
from mipl.cli.options import Json, Out, SkipBad
from mipl.cli.verb import Verb
from mipl.runs.named_values import given_options

app = typer.Typer(help="Pictures: turned into bags.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command("to-bags", cls=Verb)
def to_bags(
    folder: Annotated[
        Path, typer.Argument(help="A folder of pictures, searched with those below it.")
    ],
    out: Out,
    generator: Annotated[
        str,
        typer.Option(
            "--generator", "-g", help="row, sbn, kmeansseg, sift, patches, deep."
        ),
    ],
    labels: flags.Labels = None,
    annotations: flags.Annotations = None,
    annotators: flags.Annotators = None,
    rule: flags.Rule = None,
    unsure: flags.Unsure = None,
    bag_id: flags.BagId = None,
    candidates: flags.CandidateColumns = None,
    label: flags.Label = None,
    group: flags.Group = None,
    split: flags.SplitColumn = None,
    classes: flags.Classes = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="An argument of the generator, as patch=16; may be repeated.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1: one for each core.")] = -1,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Turn a folder of pictures and a table of candidates into a data set.

    The table names each picture by its path in the folder; labels.csv there is read
    where none is given. A command that was interrupted goes on when it is given again.
    """
    from mipl.cli.generators import named_generator
    from mipl.cli.output import tell, tell_left_out
    from mipl.cli.progress import count_bar
    from mipl.cli.writing import write
    from mipl.images.labelled import read_pictures
    from mipl.io import check_dataset_name

    check_dataset_name(out)
    made = named_generator(generator, given_options(settings or ()), jobs, skip_bad)
    columns = flags.told(
        labels=labels,
        annotations=annotations,
        annotators=annotators,
        rule=rule,
        unsure=unsure,
        bag_id=bag_id,
        candidates=candidates,
        label=label,
        group=group,
        split=split,
        classes=classes,
    )
    part = out.with_name(f"{out.name}.part")
    try:
        with count_bar("pictures") as progress:
            data, skipped = read_pictures(
                folder, made, progress=progress, finished=part, **columns
            )
    except KeyboardInterrupt:
        kept = made.store(part)
        tell("interrupted", f"{kept} keeps what is done; the same command goes on.")
        raise
    tell_left_out(skipped)
    write(data, out, as_json, skipped=skipped)
    part.unlink(missing_ok=True)
