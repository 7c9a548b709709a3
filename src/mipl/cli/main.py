"""The command line: ``mipl GROUP VERB``.

Exit codes: 0 fine, 1 errors found by a check, 2 wrong input or missing data,
130 interrupted by the keyboard.
"""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from mipl import __version__
from mipl.cli import images, review
from mipl.cli.data_fetch import fetch
from mipl.cli.data_files import build, convert
from mipl.cli.data_files import import_ as import_data
from mipl.cli.data_look import describe, list_, validate
from mipl.cli.demo import demo
from mipl.cli.encoding import show_every_letter
from mipl.cli.evaluate import evaluate
from mipl.cli.explain import explain
from mipl.cli.export import export as export_model
from mipl.cli.fit import fit
from mipl.cli.methods import methods
from mipl.cli.option_names import command_of, in_options
from mipl.cli.output import INTERRUPTED, WRONG_INPUT, left_out_told, tell_error
from mipl.cli.predict import predict
from mipl.cli.reproduce import reproduce
from mipl.cli.runs_compute import compute
from mipl.cli.runs_files import check, export, repair
from mipl.cli.runs_files import import_ as import_runs
from mipl.cli.runs_look import compare, ls, show_
from mipl.cli.runs_show import plot, table
from mipl.cli.sound_and_text import audio, text
from mipl.cli.tune import tune
from mipl.cli.ui import ui
from mipl.cli.verb import Verb
from mipl.errors import MiplError

app = typer.Typer(
    help="Learning from bags of instances with candidate label sets.",
    no_args_is_help=True,
    add_completion=False,
)
data = typer.Typer(
    help="Data sets: what there is, what is in them, and what is wrong with them.",
    no_args_is_help=True,
)
runs = typer.Typer(
    help="Results of many runs: compute, look, compare, share.", no_args_is_help=True
)
# The verbs of a group stand in the order in which one meets them.
data.command("list", cls=Verb)(list_)
data.command(cls=Verb)(describe)
data.command(cls=Verb)(validate)
data.command(cls=Verb)(build)
data.command(cls=Verb)(fetch)
data.command("import", cls=Verb)(import_data)
data.command(cls=Verb)(convert)
runs.command(cls=Verb)(compute)
runs.command(cls=Verb)(ls)
runs.command("show", cls=Verb)(show_)
runs.command(cls=Verb)(compare)
runs.command(cls=Verb)(table)
runs.command(cls=Verb)(plot)
runs.command(cls=Verb)(export)
runs.command("import", cls=Verb)(import_runs)
runs.command(cls=Verb)(check)
runs.command(cls=Verb)(repair)
app.add_typer(data, name="data")
app.add_typer(images.app, name="images")
app.add_typer(audio, name="audio")
app.add_typer(text, name="text")
app.add_typer(runs, name="runs")
app.add_typer(review.app, name="review")
for verb in (
    *(ui, fit, tune, predict, evaluate, explain),
    *(methods, demo, reproduce),
):
    app.command(cls=Verb)(verb)
app.command("export", cls=Verb)(export_model)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mipl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, help="Print the version.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and end the process; a mistake is told in one sentence."""
    show_every_letter()
    try:
        with left_out_told():
            app(arguments, prog_name="mipl")
        code = 0
    except MiplError as error:
        words = sys.argv[1:] if arguments is None else arguments
        command = command_of(typer.main.get_command(app), words)
        tell_error(MiplError(in_options(str(error), command)))
        code = WRONG_INPUT
    except OSError as error:
        # What the system refuses is no mistake of the program.
        where = "" if error.filename is None else f"{error.filename}: "
        tell_error(MiplError(f"{where}{(error.strerror or str(error)).lower()}."))
        code = WRONG_INPUT
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
