"""Data sets on disk: read by content, written by suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.splits import DEFAULT_SPLITS
from mipl.errors import MiplError, MissingExtra, unknown
from mipl.files import existing
from mipl.io.left_out import BagsLeftOut, LeftOut
from mipl.io.split_files import read_split_files
from mipl.io.tables.annotations import read_annotations
from mipl.io.tables.columns import as_text

__all__ = [
    "BagsLeftOut",
    "check_dataset_name",
    "has_labels",
    "layout_of",
    "read_annotations",
    "read_bags",
    "read_dataset",
    "read_open",
    "read_split_files",
    "write_dataset",
]


# A format is a module with ``sniff``, ``read``, ``write`` and, where files may come
# without labels, ``read_bags``; it is loaded where it does the work.
_HDF5 = "mipl.io.native.hdf5"
_MAT = "mipl.io.matlab.mat"
_NPZ = "mipl.io.arrays.npz"
_TABLE = "mipl.io.tables.long_table"
_FOLDER = "mipl.io.folders.folders"
_LABELS = "mipl.io.tables.label_table"

# In this order: anything that begins like text may be a table.
_BY_CONTENT = (_MAT, _HDF5, _NPZ, _FOLDER, _TABLE)
_LAYOUTS = {
    _MAT: "matlab",
    _HDF5: "hdf5",
    _NPZ: "npz",
    _FOLDER: "folder",
    _TABLE: "table",
}
_BY_SUFFIX = {
    ".bags.h5": _HDF5,
    ".h5": _HDF5,
    ".npz": _NPZ,
    ".csv": _TABLE,
    ".parquet": _TABLE,
    ".mat": _MAT,
}


def read_dataset(
    path: str | Path,
    *,
    splits: str | Path | None = None,
    on_bad: str = "raise",
    **options: Any,
) -> Dataset:
    r"""Read a data set; the content of the file decides how, not its name.

    Parameters
    ----------
    path : file or folder
        Our own HDF5 file (read lazily), a MATLAB file in the MIPL or PLL layout, a
        NumPy archive, a long CSV or Parquet table with a label table, or a folder with
        a file per bag and a label table (as TRIDENT, CLAM, STAMP and torchmil write
        them). A label table is CSV, Parquet or Excel.
    splits : path, optional
        Your own splits, see ``read_split_files``; they become the default ones.
    on_bad : "raise" or "skip"
        Whether bags that cannot be used (a missing or damaged file, no instances, no
        label) are told in one sentence about all of them, or left out with one warning
        that names them; ``facts["left_out"]`` then says why.
    **options
        Those of the format. MATLAB: ``variable``, ``target``, ``partial_target``,
        ``classes``, ``index``. Tables and folders: ``labels`` and ``annotations``
        (paths), ``bag_id``, ``candidates``, ``label``, ``group``, ``split``,
        ``annotators`` (names of columns), ``classes``, ``rule``, ``unsure``; folders
        also ``file`` and ``slides`` (a table of patients and their files), tables
        ``features`` and ``coords``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.csv")
    ...     lines = "bag_id,height,candidates", "p,3,oak|elm", "p,4,oak|elm", "q,2,oak"
    ...     _ = path.write_text("\n".join(lines))
    ...     data = read_dataset(path)
    >>> data.bags, [sorted(s) for s in data.candidates]
    (Bags(2 bags, 3 instances x 1 feature, 1-2 per bag), [['elm', 'oak'], ['oak']])
    """
    path = existing(path)
    form = _form_of(path)
    _check_options(form.read, options, "reading", path)
    left = LeftOut(on_bad, path)
    # A file of ours is whole, by its checksums, or damaged as one.
    each = [] if form.__name__ == _HDF5 else [left]
    dataset: Dataset = form.read(path, *each, **options)
    left.warn(len(dataset) + len(left.reasons))
    if left:
        facts = {**dataset.facts, "left_out": left.reasons}
        dataset = replace(dataset, facts=facts)
    if splits is None:
        return dataset
    own = read_split_files(splits, dataset.bags)
    return replace(dataset, splits={**dataset.splits, DEFAULT_SPLITS: own})


def read_bags(
    path: str | Path, *, ids: Any = None, on_bad: str = "raise", **options: Any
) -> Bags:
    r"""Read bags to predict; tables, archives and folders need no labels for that.

    Parameters
    ----------
    path : file or folder
        As for ``read_dataset``; the other formats need labels here, too.
    ids : list of bag ids, or path, optional
        Only these bags, in this order; a table of them needs one column, ``bag_id``.
    on_bad : "raise" or "skip"
        As for ``read_dataset``.
    **options
        Those of the format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.csv")
    ...     _ = path.write_text("bag_id,height\np,3\np,4\nq,2\n")
    ...     read_bags(path)
    Bags(2 bags, 3 instances x 1 feature, 1-2 per bag)
    """
    path = existing(path)
    form = _form_of(path)
    left = LeftOut(on_bad, path)
    if form.__name__ == _FOLDER:  # It reads no other files.
        options, ids = {**options, "ids": ids}, None
    read = getattr(form, "read_bags", None)
    if read is None:
        bags = read_dataset(path, on_bad=on_bad, **options).bags
    else:
        _check_options(read, options, "reading", path)
        bags = read(path, left, **options)
    if ids is not None:
        bags = _chosen(bags, ids, left)
    left.warn(len(bags) + len(left.reasons))
    return bags


def _chosen(bags: Bags, ids: Any, left: LeftOut) -> Bags:
    """Return the bags with these ids, in their order."""
    wanted: list[str] = import_module(_LABELS).as_ids(ids)
    if bags.bag_ids is None:
        raise MiplError(f"{left.where} has no bag ids to choose by; leave ids out.")
    place = {as_text(name): i for i, name in enumerate(bags.bag_ids.tolist())}
    for name in wanted:
        if name not in place:
            left.add(name, f"{left.where} has no bag {name[:80]!r}")
    left.settle(len(wanted))
    return bags[[place[name] for name in wanted if name in place]]


def layout_of(path: str | Path) -> str:
    """Return what a file or folder is read as; one of no kind that is read is refused.

    Returns
    -------
    layout : {"matlab", "hdf5", "npz", "folder", "table"}

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     layout_of(folder)
    'folder'
    """
    return _LAYOUTS[_form_of(existing(path)).__name__]


def has_labels(path: str | Path) -> bool:
    """Tell whether a folder of bag files has labels."""
    return bool(import_module(_FOLDER).has_labels(path))


def read_open(path: str | Path, classes: Any, ids: Sequence[Any] | None) -> Dataset:
    """Read a folder without labels: every class is a candidate of each bag.

    ``ids`` says which bags to read; those that there are not are no mistake.
    """
    dataset: Dataset = import_module(_FOLDER).read_open(path, classes, ids)
    return dataset


def write_dataset(dataset: Dataset, path: str | Path, **options: Any) -> None:
    """Write a data set in the format that the name ends in.

    Parameters
    ----------
    dataset : Dataset
    path : str or Path
        ``name.bags.h5`` (our own, the best choice), ``.npz``, ``.csv``, ``.parquet``,
        ``.mat``, or a name without suffix for a folder.
    **options
        Those of the format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> data = Dataset([[[1.0], [2.0]], [[3.0]]], [{"oak", "elm"}, {"oak"}])
    >>> with TemporaryDirectory() as folder:
    ...     write_dataset(data, Path(folder, "trees.npz"))
    ...     read_dataset(Path(folder, "trees.npz")).candidates.classes.tolist()
    ['elm', 'oak']
    """
    if not isinstance(dataset, Dataset):
        raise MiplError(
            f"write_dataset needs a Dataset; got a {type(dataset).__name__}: build one "
            "with Dataset(bags, candidates)."
        )
    path = Path(path)
    form = _form_named(path)
    _check_options(form.write, options, "writing", path)
    form.write(dataset, path, **options)


def check_dataset_name(path: str | Path) -> None:
    """Refuse a name that ``write_dataset`` cannot write, before time is spent.

    Examples
    --------
    >>> check_dataset_name("trees.bags.h5")
    """
    _form_named(Path(path))
    if not Path(path).parent.is_dir():
        raise MiplError(f"cannot write {path}: its folder does not exist; create it.")


def _form_named(path: Path) -> ModuleType:
    suffix = next((s for s in _BY_SUFFIX if path.name.lower().endswith(s)), path.suffix)
    if suffix and suffix not in _BY_SUFFIX:
        raise MiplError(
            f"cannot write {path}: {suffix!r} names no format; use "
            f"{', '.join(_BY_SUFFIX)}, or no suffix for a folder."
        )
    return import_module(_BY_SUFFIX[suffix] if suffix else _FOLDER)


def _form_of(path: Path) -> ModuleType:
    absent: MissingExtra | None = None
    try:
        for name in _BY_CONTENT:
            try:
                form = import_module(name)
            except MissingExtra as error:  # It may be a file of another kind.
                absent = error
            else:
                if form.sniff(path):
                    return form
    except OSError as error:
        raise MiplError(f"{path} cannot be opened: {error.strerror}.") from None
    if absent is not None:
        raise absent
    raise MiplError(
        f"{path} is of no kind that is read: HDF5 (.bags.h5), MATLAB (.mat), NumPy "
        "(.npz), CSV, Parquet, or a folder with a .npy or HDF5 file per bag."
    )


def _check_options(
    call: Callable[..., Any], options: Mapping[str, Any], doing: str, path: Path
) -> None:
    """Tell an option that the format does not have."""
    parameters = signature(call).parameters.values()
    if any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
        return  # Tables and folders check the rest themselves.
    known = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise MiplError(f"{doing} {path}: {unknown('option', name, known)}")
