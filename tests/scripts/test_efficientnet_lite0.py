"""The converter: tensors and nothing else, from the known file and no other."""

import io
import pickle
import zipfile
from collections import OrderedDict
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import nn

from mipl.errors import BadFile, MiplError
from mipl.nn.efficientnet_lite import SameConv
from mipl.nn.initialisation import initialise

SCRIPT = Path(__file__).parents[2] / "scripts" / "efficientnet_lite0.py"


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("efficientnet_lite0", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def saved(values) -> bytes:
    buffer = io.BytesIO()
    torch.save(values, buffer, _use_new_zipfile_serialization=False)
    return buffer.getvalue()


def tensors():
    base = torch.arange(24.0)
    return OrderedDict(
        {
            "plain": torch.arange(6.0).reshape(2, 3),
            "columns": torch.arange(6.0).reshape(2, 3).T,
            "part": base[4:10].reshape(3, 2),
            "_bn0.num_batches_tracked": torch.tensor(7),
        }
    )


def test_tensors_are_read_as_torch_saved_them(script):
    found = script.read_tensors(io.BytesIO(saved(tensors())))
    assert found.keys() == tensors().keys()
    for name, expected in tensors().items():
        assert found[name].dtype == expected.numpy().dtype
        np.testing.assert_array_equal(found[name], expected.numpy())


@pytest.mark.parametrize("harm", ["system", "torch.nn", "attribute"])
def test_anything_but_tensors_is_refused(script, harm, tmp_path):
    target = tmp_path / "made"

    class Harm:
        def __reduce__(self):
            return Path.touch, (target,)

    value = {"system": Harm(), "torch.nn": nn.Linear(2, 2), "attribute": len}
    with pytest.raises(BadFile, match=r"asks for .*, which is no tensor"):
        script.read_tensors(io.BytesIO(saved({"x": value[harm]})))
    assert not target.exists()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_cut_off_file_is_told(script, share):
    whole = saved(tensors())
    with pytest.raises(BadFile):
        script.read_tensors(io.BytesIO(whole[: int(share * len(whole))]))


def test_a_tensor_beyond_its_storage_is_refused(script):
    storage = script.Storage(np.dtype("<f4"), "0", 4)
    for view in [
        (1, (4,), (1,)),
        (0, (2, 2), (3, 2)),
        (0, (3,), (-1,)),
        (-1, (1,), (1,)),
    ]:
        with pytest.raises(BadFile, match="outside its storage"):
            script.View(storage, *view).of(np.zeros(4, np.float32))


def test_another_form_is_refused(script):
    other = b"".join(pickle.dumps(i, protocol=2) for i in (1, 2, {}, {}, []))
    with pytest.raises(BadFile, match="not in torch's form"):
        script.read_tensors(io.BytesIO(other))


def test_only_the_known_file_is_opened(script, tmp_path):
    wheel = tmp_path / "package.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(script.MEMBER, saved(tensors()))
    with pytest.raises(BadFile, match="must have sha256 5793"):
        script.pickled_part(wheel)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other", b"")
    with pytest.raises(BadFile, match="is not the wheel of"):
        script.pickled_part(wheel)


def test_names_lose_their_underscores(script):
    given = {"_blocks.0._bn1.running_mean": np.zeros(1), "_fc.bias": np.ones(1)}
    given["_bn0.num_batches_tracked"] = np.zeros(())
    assert list(script.as_ours(given)) == ["blocks.0.bn1.running_mean", "fc.bias"]


def test_the_same_values_are_the_same_bytes(script, tmp_path):
    written = set()
    for i in range(9):
        script.write_safetensors({"b": np.ones(2), "a": np.ones(1)}, tmp_path / f"{i}")
        written.add((tmp_path / f"{i}").read_bytes())
    assert len(written) == 1


def test_the_onnx_form_agrees_with_torch(script, tmp_path, monkeypatch):
    torch.manual_seed(0)
    layers = [SameConv(3, 4, 3, stride=2), nn.ReLU6(), nn.AdaptiveAvgPool2d(1)]
    module = nn.Sequential(*layers, nn.Flatten(), nn.Linear(4, 5)).eval()
    initialise(module, 0)
    path = tmp_path / "net.onnx"
    assert script.write_onnx(module, path) <= 1e-4
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    images = torch.rand(5, 3, 224, 224)
    (found,) = session.run(None, {"images": images.numpy()})
    np.testing.assert_allclose(found, module(images).detach().numpy(), atol=1e-4)
    assert str(SCRIPT.parents[1]).encode() not in path.read_bytes()
    monkeypatch.setattr(script, "TOLERANCE", -1.0)
    with pytest.raises(MiplError, match="away from torch"):
        script.write_onnx(module, tmp_path / "other.onnx")
    assert list(tmp_path.iterdir()) == [path]
