"""``mipl data``: the verbs, in the order in which one meets them."""

import typer

from mipl.cli.data_fetch import fetch
from mipl.cli.data_files import build, convert, import_
from mipl.cli.data_look import describe, list_, validate

app = typer.Typer(
    help="Data sets: what there is, what is in them, and what is wrong with them.",
    no_args_is_help=True,
)
app.command("list")(list_)
app.command()(describe)
app.command()(validate)
app.command()(build)
app.command()(fetch)
app.command("import")(import_)
app.command()(convert)
