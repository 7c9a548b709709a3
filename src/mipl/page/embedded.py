"""The data set that comes with the library, put into a workspace."""

from __future__ import annotations

from importlib import import_module

from mipl.page.workspace import Place, Workspace

_NAME = "digits-mipl"


def add_digits(workspace: Workspace) -> Place:
    """Write the embedded digits into a workspace, where they do not lie there yet."""
    path = workspace.folder / "data" / f"{_NAME}.bags.h5"
    if not path.exists():
        data = import_module("mipl.datasets").load_dataset(_NAME, r=1)
        path = workspace.new_dataset(_NAME)
        import_module("mipl.io").write_dataset(data, path)
    return workspace.place(path)
