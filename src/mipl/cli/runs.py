"""``mipl runs``: the verbs, in the order in which one meets them."""

import typer

from mipl.cli.runs_compute import compute
from mipl.cli.runs_files import check, export, import_, repair
from mipl.cli.runs_look import compare, ls, show_

app = typer.Typer(
    help="Results of many runs: compute, look, compare, share.", no_args_is_help=True
)
app.command()(compute)
app.command()(ls)
app.command("show")(show_)
app.command()(compare)
app.command()(export)
app.command("import")(import_)
app.command()(check)
app.command()(repair)
