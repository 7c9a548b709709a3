"""The verb ``to-bags``, which pictures, recordings and documents have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mipl.cli import label_flags as flags
from mipl.cli.options import Json, Out, SkipBad
from mipl.runs.named_values import given_options

_TABLE = (
    "The table names each {kind} by its path in the folder; labels.csv there is read "
    "where none is given. A command that was interrupted goes on when given again."
)


def to_bags_verb(
    kind: str, does: str, source_help: str, names: str, example: str
) -> Callable[..., None]:
    """Return the verb of a kind of items.

    Parameters
    ----------
    kind : str
        A name of the catalogs of generators, as "picture".
    does, source_help, names, example
        For the help: what the verb does, what it takes, the generators, an argument.
    """

    def to_bags(
        folder: Annotated[Path, typer.Argument(help=source_help)],
        out: Out,
        generator: Annotated[str, typer.Option("--generator", "-g", help=names)],
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
                help=f"An argument of the generator, as {example}; may be repeated.",
            ),
        ] = None,
        jobs: Annotated[
            int, typer.Option(help="Processes; -1: one for each core.")
        ] = -1,
        skip_bad: SkipBad = False,
        as_json: Json = False,
    ) -> None:
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
        given = given_options(settings or ())
        _make(kind, folder, out, (generator, given, jobs, skip_bad), columns, as_json)

    to_bags.__doc__ = f"{does}\n\n{_TABLE.format(kind=kind)}"
    return to_bags


def _make(
    kind: str,
    folder: Path,
    out: Path,
    how: tuple[str, dict[str, Any], int, bool],
    columns: dict[str, Any],
    as_json: bool,
) -> None:
    from mipl.cli.generators import named_generator
    from mipl.cli.output import tell, tell_left_out
    from mipl.cli.progress import count_bar
    from mipl.cli.writing import write
    from mipl.generators.labelled import read_items
    from mipl.io import check_dataset_name

    check_dataset_name(out)
    made = named_generator(kind, *how)
    part = out.with_name(f"{out.name}.part")
    try:
        with count_bar(f"{kind}s") as progress:
            data, skipped = read_items(
                folder, made, progress=progress, finished=part, **columns
            )
    except KeyboardInterrupt:
        kept = made.store(part)
        tell("interrupted", f"{kept} keeps what is done; the same command goes on.")
        raise
    tell_left_out(skipped)
    write(data, out, as_json, skipped=skipped)
    part.unlink(missing_ok=True)
