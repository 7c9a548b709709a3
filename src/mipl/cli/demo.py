"""``mipl demo``: a first look that needs no files and no network."""

from __future__ import annotations

NAME = "digits-mipl"


def demo() -> None:
    """Build the embedded data set, describe it and validate it."""
    from mipl.cli.data_views import show_description, show_findings
    from mipl.cli.output import show, title
    from mipl.data.describe import describe
    from mipl.data.validate import validate
    from mipl.datasets import load_dataset

    dataset = load_dataset(NAME)
    show_description(describe(dataset))
    show("", title("validation"))
    show_findings(NAME, validate(dataset))
    show(
        "", title("next", "mipl data list, or your own files: mipl data import --help")
    )
