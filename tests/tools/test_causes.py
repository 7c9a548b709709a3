"""The study of causes: what it changes, and what it keeps beside an accuracy."""

from dataclasses import replace

import numpy as np
import pytest

from mipl import Candidates, Dataset, Training, method
from mipl.runs.run import Run
from tools import causes

CELLS = [
    ("demipl", "sival-mipl", 1, causes.DEMIPL),
    ("miplma-released", "birdsong-mipl", 2, causes.RELEASED),
    ("miplma-released", "birdsong-mipl", 3, causes.RELEASED),
    ("elimipl", "crc-mipl", 1, causes.ELIMIPL),
]


@pytest.mark.parametrize(("id", "data", "r", "spelt"), CELLS)
def test_settings_are_the_published_ones_but_for_epochs(id, data, r, spelt):
    if id == "miplma-released":
        spelt = {**spelt, "training__lr": causes.RATES[r]}
    epochs = {"training__epochs": spelt["training__epochs"]}
    published = method(id, published_for=data, r=r, **epochs)
    assert str(method(id, **spelt).get_params()) == str(published.get_params())


@pytest.mark.parametrize("name", ["demipl", "released", "elimipl"])
def test_runs_differ_from_the_published_in_one_change(name):
    plan = causes.STUDIES[name]()
    assert len(set(plan)) == len(plan)
    for run in plan:
        settings = next(spelt for id, _, _, spelt in CELLS if id == run.method)
        assert set(settings) <= set(run.arguments)
        run.build()
    for cell in {(run.data, run.r) for run in plan}:
        splits = {run.split for run in plan if (run.data, run.r) == cell}
        assert len(splits) == 3


def test_the_program_is_measured_on_all_splits_of_vectors():
    plan = causes.program()
    assert len(set(plan)) == 60
    spelt = {**causes.DEMIPL, **causes.PROGRAM, "random_state": 0}
    assert str(plan[0].build()) == str(method("demipl", **spelt))
    assert plan[0].build().encoder == "linear"


def test_scaled_features_are_those_of_plain_loops():
    rng = np.random.default_rng(0)
    bags = [rng.normal(3, 2, (n, 2)).astype(np.float32) for n in (2, 5, 3)]
    data = Dataset(bags, [{0, 1}, {1, 2}, {0, 2}], [0, 1, 2])
    rows = np.concatenate(bags)

    def told(form):
        return causes.scaled(data, form).bags.instances

    assert told("all") == pytest.approx((rows - rows.mean(0)) / rows.std(0), abs=1e-5)
    spread = rows.max(0) - rows.min(0)
    assert told("range") == pytest.approx((rows - rows.min(0)) / spread, abs=1e-5)
    each = np.concatenate([(bag - bag.mean(0)) / bag.std(0) for bag in bags])
    assert told("bag") == pytest.approx(each, abs=1e-4)
    same = causes.scaled(data, "bag")
    assert (same.labels == data.labels).all() and same.bags.sizes.tolist() == [2, 5, 3]


def test_files_are_written_once_and_answer_the_splits_of_the_catalogue(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    given = Run("demipl", "scaled/digits-mipl-r2-bag.bags.h5", {"scaling": "none"})
    assert causes.at_hand(lambda: [given]) == [given]
    written = (tmp_path / given.data).stat().st_mtime_ns
    causes.at_hand(lambda: [given])
    assert (tmp_path / given.data).stat().st_mtime_ns == written
    catalogued = replace(given, data="digits-mipl", r=2).load()
    for ours, theirs in zip(given.load().folds(), catalogued.folds(), strict=True):
        assert (ours.test == theirs.test).all()
    assert (given.load().candidates.matrix == catalogued.candidates.matrix).all()


def test_fates_of_classes_that_lie_beyond_the_clamp():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], 20)
    bags = [rng.normal(label, 0.1, (3, 2)) for label in labels]
    data = Dataset(bags, Candidates(np.eye(3, dtype=bool)[labels]), labels)
    model = method("elimipl", training=Training(epochs=2, batch_size=1))
    model.fit(data.bags, data.candidates)
    model.module_.head.classifier.bias.data[:] = model.module_.head.classifier.bias.new(
        [50.0, -50.0, -50.0]
    )
    model.module_.head.classifier.weight.data.zero_()
    told = causes.fates(model, data, data)
    assert told["classes_without_gradient"] == 2 == told["classes_never_said"]
    assert told["true_weight"] == 1.0 and told["bags_tied"] == 0.0
    model.module_.head.classifier.bias.data[:] = 50.0  # Whose sigmoid is 1.
    told = causes.fates(model, data, data)
    assert told["bags_tied"] == 1.0 and told["classes_without_gradient"] == 0
