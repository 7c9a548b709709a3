"""Where the toolkits of slides put their feature files."""

from __future__ import annotations

from pathlib import Path

from mipl.errors import BadFile, MiplError

FEATURES, COORDS = "features", "coords"
INSTANCE_LABELS = ("inst_labels", "patch_labels")  # Ours and torchmil's.
HDF5 = (".h5", ".hdf5")
SUFFIXES = (".npy", *HDF5)
# Ours and torchmil's, STAMP's, CLAM's; then TRIDENT's, in the folder of a job, too, and
# torchmil's for several extractors.
_FOLDERS = (FEATURES, "feats", "h5_files")
_PATTERNS = ("features_*", "*/features_*")
_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif")
_PICKLES = (".pt", ".pth", ".pkl", ".pickle")
# Suffixes of slides that label tables write behind an id.
_SLIDES = (
    ".svs", ".tif", ".tiff", ".ndpi", ".mrxs", ".scn", ".vms", ".vmu", ".bif", ".czi",
    ".dcm", ".svslide", ".jpg", ".jpeg", ".png",
)  # fmt: skip


def features_folder(root: Path) -> Path:
    """Return the folder that holds the bag files: a known sub-folder, or the root."""
    for name in _FOLDERS:
        if (root / name).is_dir() and _holds_bags(root / name):
            return root / name
    if _holds_bags(root):
        return root
    for pattern in _PATTERNS:
        found = [place for place in sorted(root.glob(pattern)) if place.is_dir()]
        if len(found) > 1:
            names = ", ".join(place.relative_to(root).as_posix() for place in found)
            raise MiplError(
                f"{root} holds several feature folders, {names[:200]}; give one of "
                "them."
            )
        if found:
            return found[0]
    known = [root / name for name in _FOLDERS if (root / name).is_dir()]
    return known[0] if known else root


def _holds_bags(folder: Path) -> bool:
    return any(file.suffix.lower() in SUFFIXES for file in folder.iterdir())


def bag_files(folder: Path) -> dict[str, Path]:
    """Return the bag files of a folder by their names without suffix, sorted."""
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() in SUFFIXES and not file.name.startswith("."):
            if file.stem in found:
                raise BadFile(
                    f"{folder} holds both {found[file.stem].name} and {file.name}."
                )
            found[file.stem] = file
    if not found:
        refuse_pickles(folder)
        pictures = any(f.suffix.lower() in _PICTURES for f in folder.iterdir())
        remedy = "; pictures become bags by mipl images to-bags" if pictures else ""
        raise BadFile(
            f"{folder} holds no bags; it needs a .npy or HDF5 (.h5) file per bag"
            f"{remedy}."
        )
    return found


def refuse_pickles(folder: Path) -> None:
    """Say why files such as CLAM's pt_files are not read, and what is instead."""
    places = (folder, folder / "pt_files", folder.parent / "pt_files")
    for place in places:
        files = place.iterdir() if place.is_dir() else ()
        if any(file.suffix.lower() in _PICKLES for file in files):
            raise BadFile(
                f"{place} holds pickled tensors (.pt), which are not read because a "
                "pickle can run any program; give the folder with the .h5 files of the "
                "same slides (CLAM's h5_files), or save them with numpy.save."
            )


def file_of(key: str, found: dict[str, Path]) -> Path | None:
    """Return the file of a bag, whose id may end like the file of its slide."""
    if key in found:
        return found[key]
    stem = key[: key.rfind(".")] if key.lower().endswith(_SLIDES) else key
    return found.get(stem)
