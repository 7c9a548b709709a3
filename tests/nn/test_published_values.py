"""Values from a file: all that must agree, and the sentence where one does not."""

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from mipl.errors import BadFile, MiplError
from mipl.nn.published_values import digest, fill


def small(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))


@pytest.fixture
def saved(tmp_path):
    def save(change):
        values = dict(small(1).state_dict())
        change(values)
        save_file(values, tmp_path / "w.safetensors")
        return tmp_path / "w.safetensors"

    return save


def test_every_value_is_the_files(saved):
    module, path = small(0), saved(lambda values: None)
    assert digest(module) != digest(small(1))
    fill(module, path, "a small net")
    assert digest(module) == digest(small(1))


def test_a_count_of_batches_may_be_absent(saved):
    module = small(0)
    fill(module, saved(lambda v: v.pop("1.num_batches_tracked")), "a small net")
    assert digest(module) == digest(small(1))


def test_half_precision_is_widened(saved):
    def halve(values):
        values["0.weight"] = values["0.weight"].bfloat16()

    module = small(0)
    fill(module, saved(halve), "a small net")
    assert module[0].weight.dtype is torch.float32
    assert (module[0].weight == small(1)[0].weight.bfloat16().float()).all()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v: v.pop("0.bias"), "does not fit a small net: it lacks '0.bias'."),
        (
            lambda v: [v.pop(name) for name in list(v) if name != "1.weight"],
            "it lacks '0.bias' and 4 more.",
        ),
        (
            lambda v: v.update({"fc.bias": torch.zeros(2)}),
            "there is no place for 'fc.bias'.",
        ),
        (
            lambda v: v.update({"0.bias": torch.zeros(5)}),
            r"must be of shape \(4,\) with real numbers; it is of shape \(5,\)",
        ),
        (
            lambda v: v.update({"0.bias": torch.zeros(4, dtype=torch.int64)}),
            "with torch.int64",
        ),
        (
            lambda v: v.update({"0.bias": torch.full((4,), torch.nan)}),
            "'0.bias' in .* must be finite",
        ),
    ],
)
def test_what_does_not_fit_is_named(saved, change, told):
    module = small(0)
    before = digest(module)
    with pytest.raises(BadFile, match=told):
        fill(module, saved(change), "a small net")
    assert digest(module) == before


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "w.pth"
    path.write_bytes(b"\x80\x02" * 50)
    with pytest.raises(BadFile, match=r"w\.pth is not a readable safetensors file"):
        fill(small(), path, "a small net")
    with pytest.raises(MiplError, match="does not exist"):
        fill(small(), tmp_path / "none", "a small net")
