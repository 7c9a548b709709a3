"""Predictions of a model for bags of the workspace, with or without labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import MiplError, counted
from mipl.files import make_folder
from mipl.generators.generator_catalog import catalog_of
from mipl.images.pictures import are_pictures
from mipl.io import has_labels, read_bags
from mipl.io.tables.label_columns import write_columns
from mipl.page.library import Library
from mipl.page.uploads import Uploads, source_of
from mipl.page.workspace import Place, Workspace, shown

if TYPE_CHECKING:
    from mipl.runs.explanation import Explanation
    from mipl.runs.folder import OpenedModel

# Torch comes with them, on first use.
_COLUMNS, _SETS = "mipl.runs.prediction_columns", "mipl.runs.prediction_sets"
_EXPLAIN = "mipl.runs.explanation"
ALPHA = 0.1  # Of the prediction sets of calibrated models.


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a model says of bags.

    Attributes
    ----------
    columns : mapping of name to (m,)
        Those of the table of ``mipl predict``.
    doubts : list of str
        Sentences about prediction sets that tell little.
    """

    columns: dict[str, Array]
    doubts: list[str]

    def rows(self) -> list[list[object]]:
        """Return bag, class, its probability and the set, as they are shown."""
        p = np.stack([v for n, v in self.columns.items() if n.startswith("p_")])
        sets = self.columns.get("set")
        found = zip(
            self.columns["bag_id"].tolist(),
            self.columns["predicted"].tolist(),
            p.max(axis=0).tolist(),
            [""] * p.shape[1] if sets is None else sets.tolist(),
            strict=True,
        )
        return [
            [shown(bag), shown(name), f"{share:.1%}", shown(classes)]
            for bag, name, share, classes in found
        ]

    def csv(self, folder: Path) -> bytes:
        """Return the whole table as a CSV file."""
        path = make_folder(folder) / "predictions.csv"
        write_columns(path, self.columns)
        text = path.read_bytes()
        path.unlink()
        return text


def sources(workspace: Workspace) -> list[Place]:
    """Return what may hold bags: data sets, then files and folders."""
    return [*workspace.datasets(), *workspace.others()]


def source(workspace: Workspace, id: str) -> Place:
    """Return the data set, file or folder of an id."""
    for one in sources(workspace):
        if one.id == id:
            return one
    raise MiplError(
        "there are no such bags in the workspace; they were moved, renamed or removed."
    )


def given(workspace: Workspace, uploads: Uploads, draft: str) -> Place:
    """Return what a person has given, by the id of the draft; ZIP files are unpacked.

    What is read of it goes through the fence, as whatever an import reads.
    """
    uploads.unpack(draft)
    folder = uploads.draft(draft)
    if not uploads.files(draft):
        raise MiplError("no file has come with this upload; choose the files again.")
    path = source_of(folder)
    name = "the files given" if path == folder else path.name
    if path.suffix.lower() == ".npy":  # A bag of its own; folders of such are read.
        path = path.parent
    return replace(workspace.place(path), name=shown(name))


def predicted(library: Library, run: Place, bags: Place) -> Predicted:
    """Ask the model of a run about bags, whatever they lie in."""
    opened = library.model(run)
    try:
        new = bags_at(opened, bags.path)
    except MiplError as error:
        # A person knows a file by its name, not by where it lies here.
        raise MiplError(str(error).replace(f"{bags.path.parent}/", "")) from None
    alpha = None if opened.model.conformal_ is None else ALPHA
    doubts: list[str] = []
    if alpha is not None:
        doubts = import_module(_SETS).doubts_of_sets(opened.model, new, alpha)
    columns = import_module(_COLUMNS).prediction_columns(opened.model, new, alpha)
    return Predicted(columns, doubts)


def explained_new(
    library: Library, run: Place, bags: Place, number: int
) -> Explanation:
    """Explain what a model says of a bag that has no candidates: any class may be it.

    The bags are read again: they may be large, and are not kept.
    """
    opened = library.model(run)
    new = bags_at(opened, bags.path)
    if not 0 <= number < len(new):
        raise MiplError(f"there are {counted(len(new), 'bag')}; got {number}.")
    classes = opened.model.classes_
    sets = Candidates(np.ones((1, len(classes)), dtype=bool), classes=classes)
    one = new[number : number + 1]
    told: Explanation = import_module(_EXPLAIN).explain(
        opened.model, Dataset(one, sets), 0
    )
    return told


def bags_at(opened: OpenedModel, path: Path) -> Bags:
    """Read bags, which need no labels; pictures are cut as those of the training."""
    told = None if opened.trained is None else opened.trained.generator
    if told is None or not are_pictures(path) or has_labels(path):
        return read_bags(path)
    made = catalog_of("picture").recorded(told)
    if made is None or not made.rebuilt_from_facts():
        raise MiplError(
            f"the model learnt from pictures cut by {told.get('kind')}, which needs "
            "files or a class of your own; use mipl predict with --generator."
        )
    made.set_params(n_jobs=1, on_error="raise")
    made.check()
    opened.check_generator(made)
    found: Bags = made.convert(path).bags
    return found
