"""``mipl review``: which bags to ask a person about, and what answers change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from mipl.cli.fit_options import Resume
from mipl.cli.model_options import DataSeed, ModelFolder
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Settings, Writing
from mipl.cli.output import next_step, pairs, say, show, show_json, table, title, warn
from mipl.cli.verb import Verb
from mipl.errors import counted
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.review import Answer, Question, Review
    from mipl.runs.source import Source

_FIRST = 10


class _Usual(TyperGroup):
    """A group that is called like its first verb where no verb is named."""

    usual = "queue"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual verb in front of what is no verb."""
        if args and args[0] not in (*self.commands, "--help"):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Usual,
    help="Which bags a person should look at, and training with the answers. "
    "`mipl review DATA RUN` is `mipl review queue DATA RUN`.",
    no_args_is_help=True,
)

Answers = Annotated[
    Path,
    typer.Argument(help="A table that was filled in, or the folder of a review."),
]
ReviewFolder = Annotated[
    Path, typer.Argument(help="The folder of a review, made where it is absent.")
]
By = Annotated[str, typer.Option(help="Who answers.")]


@app.command(cls=Verb)
def queue(
    data: NameOrPath,
    model: ModelFolder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The table to fill in, .csv or .parquet."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="At most so many bags.")] = 50,
    alpha: Annotated[
        float, typer.Option(help="Of prediction sets, where RUN is calibrated.")
    ] = 0.1,
    answered: Annotated[
        Path | None,
        typer.Option(help="The folder of a review whose bags are not asked again."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also the test bags of the run's split.")
    ] = False,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """List the bags most worth a look, and why.

    Fill in the column `answer`: a class, several as a|b, or skip.
    """
    from mipl.cli.tables import check_table_name
    from mipl.review import bags_to_review, review_queue, write_queue
    from mipl.runs.folder import open_model
    from mipl.runs.source import Source

    if out is not None:
        check_table_name(out)
    opened = open_model(model)
    options = given_options(settings or ())
    told = opened.source(Source(data, r, data_seed, raw, options)).dataset()
    among = bags_to_review(told, opened.trained, everything)
    if answered is not None:
        among = _unanswered(among, told, answered)
    found = review_queue(opened.model, told, n, among=among, alpha=alpha)
    if out is not None:
        write_queue(out, found)
    if as_json:
        show_json([one.as_dict() for one in found])
    else:
        _show_queue(found, data, len(among), out)


def _unanswered(among: Any, data: Dataset, folder: Path) -> Any:
    from mipl.review import Review
    from mipl.review.answered_data import bag_numbers

    numbers = bag_numbers(data)
    known = {numbers[bag] for bag in Review.of(folder, data).standing()}
    return [bag for bag in among.tolist() if bag not in known]


def _show_queue(found: list[Question], data: str, among: int, out: Path | None) -> None:
    of = f"{counted(len(found), 'question')} about {counted(among, 'bag')}"
    first = found[:_FIRST]
    say(data, f"{of}, the first {_FIRST}" if len(found) > _FIRST else of)
    rows = [
        [
            one.bag,
            "|".join(map(str, one.candidates)),
            f"{one.likeliest} ({one.weight:.0%})",
            f"{one.score:.2f}",
            one.reasons[0].sentence if one.reasons else "",
        ]
        for one in first
    ]
    show(table(["bag", "candidates", "likeliest", "score", "why"], rows))
    if out is not None:
        show("")
        say("written", str(out))
        next_step("mipl", "review", "apply", data, out, "-o", "answered.bags.h5")


@app.command(cls=Verb)
def apply(
    data: NameOrPath,
    answers: Answers,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The data set to write, .bags.h5.")
    ],
    labels: Annotated[
        Path | None,
        typer.Option(help="Write a label table, too, as `mipl data import` reads."),
    ] = None,
    by: By = "",
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    writing: Writing = None,
    as_json: Json = False,
) -> None:
    """Write the data set in which the answers are the candidate sets."""
    from mipl.cli.tables import check_table_name
    from mipl.cli.writing import write
    from mipl.files import together
    from mipl.io import check_dataset_name
    from mipl.review import apply_answers, write_labels
    from mipl.runs.source import Source

    check_dataset_name(out)
    if labels is not None:
        check_table_name(labels)
    source = Source(data, r, data_seed, raw, given_options(settings or ()))
    told = _spared(source, out).dataset()
    new = apply_answers(told, given := _answers(answers, told, by))
    with together():
        if labels is not None:
            write_labels(labels, new)
        write(new, out, as_json, writing, **_counts(given))
    if not as_json:
        say("answers", ", ".join(f"{v:,} {k}" for k, v in _counts(given).items()))


def _spared(source: Source, out: Path) -> Source:
    """Refuse to write the answers over the data that they are about."""
    from mipl.errors import MiplError

    here = Path(source.target)
    if here.exists() and out.exists() and here.samefile(out):
        raise MiplError(f"{out} is what the answers are about; give another name.")
    return source


def _answers(path: Path, data: Dataset, by: str) -> list[Answer]:
    """Read the answers of a table, or those that stand in a review's folder."""
    from mipl.errors import MiplError
    from mipl.review import read_answers

    if not path.is_dir():
        return read_answers(path, data, by)
    if by:
        raise MiplError(f"{path} tells who answered; leave --by out.")
    return list(_opened(path, data).standing().values())


def _opened(folder: Path, data: Dataset) -> Review:
    from mipl.review import Review

    review = Review.of(folder, data)
    if review.file.damaged:
        warn(
            f"{counted(review.file.damaged, 'line')} of {review.file.path} could not "
            "be read, as of a program that was killed; the others are whole."
        )
    return review


def _counts(answers: list[Answer]) -> dict[str, int]:
    sets = [one for one in answers if one.kind == "set"]
    return {
        "confirmed": sum(len(one.classes) == 1 for one in sets),
        "narrowed or widened": sum(len(one.classes) > 1 for one in sets),
        "skipped": sum(one.kind == "skip" for one in answers),
    }


@app.command(cls=Verb)
def again(
    data: NameOrPath,
    model: ModelFolder,
    answers: Answers,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A folder for data, run and changes.")
    ],
    by: By = "",
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    resume: Resume = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what lies in the folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Train RUN again with the answers, and tell what changed."""
    from mipl.cli.progress import EpochBar
    from mipl.review import train_again
    from mipl.runs.folder import open_model
    from mipl.runs.source import Source

    opened = open_model(model)
    options = given_options(settings or ())
    told = opened.source(Source(data, r, data_seed, raw, options)).dataset()
    given = _answers(answers, told, by)
    done = train_again(
        opened, told, given, out, [EpochBar()], resume=resume, force=force
    )
    if as_json:
        show_json({"folder": str(out), **done.changes.as_dict()})
        return
    show(title("trained again", str(out)), pairs(done.changes.rows()), "")
    next_step("mipl", "review", done.data, out / "run", "-o", "queue.csv")


@app.command(cls=Verb)
def answer(
    data: NameOrPath,
    review: ReviewFolder,
    bag: Annotated[str | None, typer.Option(help="The id of a bag, or number.")] = None,
    is_: Annotated[
        list[str] | None, typer.Option("--is", help="A class that it may be; repeat.")
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option(help="A class to add; repeatable.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="A class to take away; repeatable.")
    ] = None,
    skip: Annotated[bool, typer.Option("--skip", help="One cannot tell.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the last answer back.")
    ] = False,
    by: By = "",
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Give one answer, which is saved at once; the folder may have many writers."""
    from mipl.errors import MiplError
    from mipl.review import Review
    from mipl.runs.source import Source

    ways = {"--is": is_, "--add": add, "--remove": remove, "--skip": skip}
    chosen = [name for name, value in {**ways, "--undo": undo}.items() if value]
    if len(chosen) != 1:
        known = ", ".join([*ways, "--undo"])
        raise MiplError(f"an answer is one of {known}; got {len(chosen)} of them.")
    if bag is None and not undo:
        raise MiplError(f"{chosen[0]} is about a bag; give --bag.")
    source = Source(data, r, data_seed, raw, given_options(settings or ()))
    opened = Review(review, source.dataset())
    if bag is None or undo:
        given = opened.undo(by=by or None, bag=bag)
    elif skip:
        given = opened.skip(bag, by=by)
    elif is_:
        given = opened.give(bag, is_, by=by)
    elif add:
        given = opened.add(bag, *add, by=by)
    else:
        given = opened.remove(bag, *(remove or ()), by=by)
    now = opened.candidates(given.bag)
    if as_json:
        show_json({**given.model_dump(), "candidates": now})
    else:
        say(f"bag {given.bag}", " | ".join(map(str, now)))


@app.command(cls=Verb)
def answers(
    data: NameOrPath,
    review: Annotated[Path, typer.Argument(help="The folder of a review.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the answers, .csv or .parquet."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Write a label table, as `mipl data import` reads."),
    ] = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """List the answers of a review that stand, or export them."""
    from mipl.cli.tables import check_table_name
    from mipl.files import together
    from mipl.review import write_answers
    from mipl.runs.source import Source

    for path in (out, labels):
        if path is not None:
            check_table_name(path)
    source = Source(data, r, data_seed, raw, given_options(settings or ()))
    opened = _opened(review, source.dataset())
    found = list(opened.standing().values())
    with together():
        if out is not None:
            write_answers(out, found)
        if labels is not None:
            opened.export(labels)
    if as_json:
        show_json([one.model_dump() for one in found])
        return
    say(str(review), counted(len(found), "answer"))
    rows = [
        [one.bag, "|".join(map(str, one.classes)) or one.kind, one.by, one.at]
        for one in found[-_FIRST:]
    ]
    show(table(["bag", "answer", "by", "at"], rows))
    for path in (out, labels):
        if path is not None:
            say("written", str(path))
