"""Predictions in chunks: what the whole network says, with less in memory."""

import numpy as np
import pytest
import torch
from tests.methods.settings import OF_BAGS, small
from tests.theory.networks import FORMS, name, network
from tests.training.test_batches import OnDisk

from mipl import MIPLMA, Bags, Training
from mipl.nn.segments import Segments
from mipl.training import prediction
from mipl.training.prediction import lazy_outputs

D, TAU = 4, 0.7
SIZES = (3, 1, 21, 2, 9, 4)
ROWS = np.random.default_rng(0).normal(size=(sum(SIZES), D)).astype(np.float32)
BAGS = Bags(ROWS, np.cumsum([0, *SIZES]))
OUTPUTS = ("a", "z", "log_p", "instance_log_p")
LIMITS = [(5, 0), (5, 25), (5, 1000), (1, 0), (1000, 0), (1000, 1000)]


@pytest.fixture(params=LIMITS, ids=str)
def limits(request, monkeypatch):
    rows, kept = request.param
    monkeypatch.setattr(prediction, "_ROWS", rows)
    monkeypatch.setattr(prediction, "_KEPT", kept)
    return request.param


def whole(module):
    """Return what the network says of all bags in one step."""
    x = torch.tensor(ROWS).double()
    out = module(x, Segments.of(torch.tensor(SIZES)), TAU)
    return {"a": out.a, "z": out.z, "log_p": out.log_p} | {
        "instance_log_p": module.head(out.h)
    }


@pytest.mark.parametrize("form", FORMS[::5], ids=name)
def test_chunks_give_what_one_step_gives(form, limits):
    module = network(form, D)
    expected = whole(module)
    for pick in OUTPUTS:
        outputs = lazy_outputs(module, BAGS, TAU)
        found = torch.cat([getattr(some, pick) for some in outputs])
        torch.testing.assert_close(found, expected[pick], rtol=1e-12, atol=1e-12)


class Counted(OnDisk):
    """Counts the rows that are read, and the most at once."""

    def __init__(self, rows):
        super().__init__(rows)
        self.read, self.most = 0, 0

    def __getitem__(self, part):
        rows = super().__getitem__(part)
        self.read += len(rows)
        self.most = max(self.most, len(rows))
        return rows


@pytest.mark.parametrize(
    "pick, passes", [("a", 1), ("instance_log_p", 1), ("z", 2), ("log_p", 2)]
)
def test_no_more_is_read_than_is_needed(pick, passes, limits):
    rows, kept = limits
    module = network(FORMS[0], D)
    bags = Bags(Counted(ROWS), BAGS.offsets)
    for some in lazy_outputs(module, bags, TAU):
        getattr(some, pick)
    assert bags.instances.most <= rows
    # What does not fit into one step is read again, but for what is kept: 25 numbers
    # are 5 instances of width 5.
    again = sum(size - min(size, kept // 5) for size in SIZES if size > rows)
    assert bags.instances.read == sum(SIZES) + (again if passes == 2 else 0)


def everything(model, bags, y):
    """Return all that a model says of bags."""
    told = model.disambiguate(bags, y)
    found = [model.predict_proba(bags), told.posterior, told.margins]
    names = ("attend", "transform", "predict_instances")
    return found + [getattr(model, n)(bags) for n in names if hasattr(model, n)]


@pytest.mark.parametrize("id", OF_BAGS)
def test_every_method_takes_a_bag_in_chunks(id, monkeypatch):
    y = [{0, 1}, {1}, {0}, {1, 2}, {2}, {0, 2}]
    model = small(id)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(BAGS, y)
    expected = everything(model, BAGS, y)
    monkeypatch.setattr(prediction, "_ROWS", 5)
    monkeypatch.setattr(prediction, "_KEPT", 80)
    found = everything(model, Bags(OnDisk(ROWS), BAGS.offsets), y)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_a_bad_row_on_disk_is_named_with_its_bag(limits):
    bad = ROWS.copy()
    bad[sum(SIZES[:2]) + 17, 1] = np.nan
    model = MIPLMA(width=8, training=Training(epochs=1)).fit(BAGS, [0, 1] * 3)
    with pytest.raises(ValueError, match="bag 2 holds NaN at instance 17, feature 1"):
        model.predict_proba(Bags(OnDisk(bad), BAGS.offsets))
