"""crc-mipl: tissue pictures as bags, labelled by a crowd; and the authors' own bags."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.annotators import confusion_of_size
from mipl.data.candidate_generators import generate_candidates
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.datasets.fetch import PUBLISHED
from mipl.datasets.own_labels import as_collected, check_own_labels
from mipl.datasets.places import cache_dir
from mipl.datasets.request import Request, check_classes
from mipl.errors import MiplError
from mipl.images.bag_generators import image_bags
from mipl.images.image_bags import ImageBags
from mipl.images.pictures import Picture, as_pictures
from mipl.io.matlab import mat

_STAND_IN = "colorectal5_64px.npz"
_NETWORK = "efficientnet-lite0.safetensors"
_ONNX = "efficientnet-lite0.onnx"
_LEFT_OUT = ("ADI", "BACK")  # Adipose and background of NCT-CRC-HE-100K.
_SPELT = {
    f"crc-mipl-{kind.lower()}": kind
    for kind in ("Row", "SBN", "KMeansSeg", "SIFT", "R34-16", "R34-25")
}


def build(
    request: Request,
    *,
    generator: str | ImageBags = "sift",
    images: Any = None,
    labels: Any = None,
    patches: int | None = None,
    size: float = 2.08,
    per_class: int = 1000,
) -> Dataset:
    """Turn tissue pictures into bags and let three simulated annotators label them.

    Parameters
    ----------
    generator : str or ImageBags
        A name of ``mipl.images.bag_generators``, or a generator with its own arguments.
        ``"deep"`` is EfficientNet-Lite0, with values from a raw file, the ONNX one
        where it lies there and can be run.
    images : folder, or array (m, h, w, 3), optional
        A folder holds one folder of pictures per class, as NCT-CRC-HE-100K does (whose
        ADI and BACK are left out, as published); an array goes with ``labels``. By
        default five classes of 64 x 64 tiles stand in, 600 of each.
    labels : (m,) class names, optional
        True classes of an array of images.
    patches : int, optional
        Instances per picture of the generator "deep", 16 unless given.
    size : float
        Average size of the candidate sets, which decides how much annotators confuse.
    per_class : int
        Pictures of each class at most; of more, a seeded choice is taken.
    """
    check_own_labels(request)
    made = generator
    if isinstance(generator, str):
        made = _by_name(request, generator, patches)
    elif patches is not None:
        raise MiplError("patches goes with a generator's name; give it to its object.")
    if not isinstance(made, ImageBags):
        raise MiplError(f"generator must be a name or an ImageBags; got {made!r}.")
    pictures, names = _pictures(request, images, labels)
    kept = _chosen(request, names, per_class)
    bags = made.transform([pictures[i] for i in kept])
    names = names[kept]
    classes = np.unique(names)
    facts: dict[str, Any] = {"generator": made.facts()}
    if request.r == 0:
        facts["candidates"] = {"kind": "true labels"}
        return Dataset(bags, Candidates(names, classes), names, facts=facts)

    def sets(q: float) -> tuple[Candidates, dict[str, Any]]:
        return generate_candidates(names, classes, "crowd", request.seed, q=q)

    q = confusion_of_size(size, len(classes), lambda q: sets(q)[0].matrix)
    candidates, facts["candidates"] = sets(q)
    return Dataset(bags, candidates, names, facts=facts)


def _by_name(request: Request, name: str, patches: int | None) -> ImageBags:
    """Build a generator; that of deep features with its network and its cache."""
    arguments: dict[str, Any] = {} if patches is None else {"patches": patches}
    if name == "deep":
        arguments |= _network(request)
        arguments["cache"] = cache_dir() / "deep_features.db"
    return image_bags(name, n_jobs=-1, **arguments)


def _network(request: Request) -> dict[str, Any]:
    """Find the values of EfficientNet-Lite0; as ONNX it is three times as fast."""
    runs = find_spec("onnx") is not None and find_spec("onnxruntime") is not None
    remedy = "write it with scripts/efficientnet_lite0.py, and "
    file = request.file([_ONNX, _NETWORK] if runs else [_NETWORK], remedy)
    return {"backbone" if file.suffix == ".onnx" else "weights": file}


def published(request: Request) -> Dataset:
    """Read the authors' bags: a MATLAB cell of instances, candidates and true label."""
    check_own_labels(request)
    kind = _SPELT[request.name]
    files = [f"CRC-MIPL-{kind}.mat", f"CRC_MIPL_{kind}.mat", f"C-{kind}.mat"]
    fetched = [
        f"published/{request.name}/",
        f"published/{request.name}/CRC-MIPL-{kind}/",
    ]
    places = [folder + file for folder in ("", *fetched) for file in files]
    fetch = f"run `mipl data fetch {request.name}`, or "
    remedy = fetch if request.name in PUBLISHED else "ask its authors for it, and "
    return as_collected(request, mat.read(request.file(places, remedy)))


def _pictures(request: Request, images: Any, labels: Any) -> tuple[Any, Array]:
    """Return the pictures and their classes."""
    if labels is not None and (images is None or isinstance(images, (str, Path))):
        raise MiplError("labels go with an array of images; folders name the classes.")
    if images is None:
        tiles, numbers, names = request.arrays(
            _STAND_IN, images=4, labels=1, class_names=1
        )
        check_classes(numbers, len(tiles), 0, len(names), _STAND_IN)
        return tiles, names[numbers]
    if isinstance(images, (str, Path)):
        return _in_folders(images)
    pictures = as_pictures(images)
    try:
        names = np.asarray([] if labels is None else labels)
        got = "none" if labels is None else f"shape {names.shape}"
    except ValueError:
        names, got = np.array([]), "a ragged list"
    if names.shape != (len(pictures),):
        raise MiplError(
            f"labels must name the class of each of the {len(pictures)} images; got "
            f"{got}."
        )
    truth = Candidates(names)  # Refuses what is no name.
    if (truth.sizes > 1).any():
        raise MiplError("labels must name one class of each image; got several.")
    return pictures, truth.classes[truth.matrix.argmax(axis=1)]


def _in_folders(root: str | Path) -> tuple[list[Picture], Array]:
    """Return the pictures of a folder with a folder per class."""
    found = [
        one for one in as_pictures(root) if one.name.split("/")[0] not in _LEFT_OUT
    ]
    for picture in found:
        if "/" not in picture.name:
            raise MiplError(
                f"{picture} lies in no folder of a class; put pictures in {root}/NAME/."
            )
    return found, np.array([picture.name.split("/")[0] for picture in found])


def _chosen(request: Request, names: Array, per_class: int) -> npt.NDArray[np.int64]:
    """Return the numbers of the pictures that are taken, class by class."""
    if not isinstance(per_class, (int, np.integer)) or per_class < 1:
        raise MiplError(f"per_class must be a whole number >= 1; got {per_class!r}.")
    rng = request.rng("pictures")
    drawn = [rng.permutation(np.flatnonzero(names == c)) for c in np.unique(names)]
    return np.concatenate([np.sort(numbers[:per_class]) for numbers in drawn])
