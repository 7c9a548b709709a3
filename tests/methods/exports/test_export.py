"""Exported models say in onnxruntime what they say here."""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from tests.methods.settings import PARTIAL, own_ids, small
from torch import nn

from mipl import (
    ABMIL,
    MIPLMA,
    PLSVM,
    PRODEN,
    BagLearner,
    Bags,
    Candidates,
    Dataset,
    Degraded,
    Ensemble,
    FastMIPL,
    OneVsRest,
    Training,
    export_onnx,
    load_dataset,
    load_model,
    method,
    register,
)
from mipl.data.features import Features
from mipl.errors import MiplError
from mipl.parameters import redeclared
from mipl.parts import SoftmaxWeights
from mipl.parts.attention_parts import ATTENTIONS

# They solve linear systems, margins or Gaussian processes, and train no network.
WITHOUT_NETWORK = (
    "mean-pooling",
    "miplgp",
    "m3pl",
    "pl-aggd",
    "pl-svm",
    "lm-vgpmil",
    "vgpmil",
    "vwsgp",
)
FEW = Training(epochs=2)
TRAIN, TEST = load_dataset("synthetic", r=1).split(0)


def fitted(model, data=TRAIN):
    return model.fit(data.bags, data.candidates)


def outputs(path, bags):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"]
    )
    names = [one.name for one in session.get_outputs()]
    rows = np.asarray(bags.instances, dtype=np.float32)
    given = {"instances": rows, "offsets": np.asarray(bags.offsets)}
    return dict(zip(names, session.run(names, given), strict=True))


def assert_same(model, path, bags, atol=1e-5):
    found = outputs(path, bags)
    expected = {"probabilities": model.predict_proba(bags)}
    if hasattr(model, "attend"):
        expected["attention"] = model.attend(bags)
    if hasattr(model, "predict_instances"):
        expected["instance_scores"] = model.predict_instances(bags)
    assert set(expected) == set(found) - {"uncalibrated"}
    for name, values in expected.items():
        assert found[name].shape == values.shape
        np.testing.assert_allclose(found[name], values, rtol=0, atol=atol, err_msg=name)


def of_bags(id):
    return small(id, reduction="mean") if id in PARTIAL else small(id)


@pytest.mark.parametrize("id", [i for i in own_ids() if i not in WITHOUT_NETWORK])
def test_every_network_of_the_catalogue_says_the_same(id, tmp_path):
    model = fitted(of_bags(id))
    export_onnx(model, tmp_path / "model.onnx")
    assert_same(model, tmp_path / "model.onnx", TEST.bags)


@pytest.mark.parametrize("id", WITHOUT_NETWORK)
def test_the_others_are_refused(id, tmp_path):
    model = fitted(of_bags(id))
    with pytest.raises(MiplError, match=r"trains no network, .* such as MIPLMA\.$"):
        export_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_what_is_drawn_in_predictions_cannot_travel(tmp_path):
    model = fitted(FastMIPL.released(width=8, samples=2, training=FEW))
    with pytest.raises(MiplError, match="draws at random in its predictions"):
        export_onnx(model, tmp_path / "model.onnx")


@pytest.mark.parametrize(
    "model",
    [
        OneVsRest(ABMIL(training=FEW, width=4)),
        OneVsRest(ABMIL(training=FEW, width=4), all_negative="lowest_score"),
        Ensemble(Degraded(PRODEN(training=FEW), "maxmin"), n=2),
        ABMIL(width=(6, 5), training=FEW),
        MIPLMA(training=Training(epochs=2, dtype="float64")),
        FastMIPL(width=8, samples=2, standardise="given", training=FEW),
    ],
    ids=lambda model: f"{type(model).__name__}",
)
def test_wrappers_and_other_forms_say_the_same(model, tmp_path):
    export_onnx(fitted(model), tmp_path / "model.onnx")
    assert_same(model, tmp_path / "model.onnx", TEST.bags)


def narrow(width, n_classes):
    """An attention of a user's."""
    return SoftmaxWeights(score_head="mlp").build(width, n_classes)


def log_head(width, n_classes):
    """A head of a user's."""
    return nn.Sequential(nn.Linear(width, n_classes), nn.LogSoftmax(dim=-1))


PUT_TOGETHER = [
    *({"attention": name} for name in ATTENTIONS),
    {"head": "sigmoid-softmax"},
    {"attention": SoftmaxWeights(tau=5.0, standardise="scores", scaled=True)},
    {"attention": narrow, "head": log_head},
    {"encoder": nn.Linear(TRAIN.bags.n_features, 5)},
]


@pytest.mark.parametrize("parts", PUT_TOGETHER, ids=" and ".join)
def test_methods_put_together_say_the_same(parts, tmp_path):
    model = fitted(BagLearner(width=6, training=FEW, **parts))
    export_onnx(model, tmp_path / "model.onnx")
    assert_same(model, tmp_path / "model.onnx", TEST.bags)


class Careful(BagLearner):
    """BagLearner with a wide embedding."""

    width: int = redeclared(default=24)


@pytest.mark.usefixtures("own_methods_forgotten")
def test_a_registered_method_says_the_same_and_its_name(tmp_path):
    register(Careful, id="careful")
    model = fitted(method("careful", training=FEW))
    model.save(tmp_path / "model")
    model.calibrate(TEST.bags, candidates=TEST.candidates.matrix)
    for one in (model, load_model(tmp_path / "model")):
        export_onnx(one, tmp_path / "model.onnx")
        assert_same(one, tmp_path / "model.onnx", TEST.bags)
        assert metadata(tmp_path / "model.onnx")["method"] == "Careful"


@pytest.mark.parametrize("kind", ["miplma", "agopmipl", "mivae"])
def test_images_say_the_same(kind, tmp_path):
    chance = np.random.default_rng(0)
    bags = Bags([chance.random((n, 28, 28)).astype("f") for n in (3, 2, 5, 1)])
    data = Dataset(bags, [{0}, {1}, {0, 1}, {1}])
    model = fitted(small(kind), data)
    export_onnx(model, tmp_path / "model.onnx")
    assert_same(model, tmp_path / "model.onnx", bags)


def test_any_number_of_bags_and_instances(tmp_path):
    model = fitted(MIPLMA.released(training=FEW))
    export_onnx(model, tmp_path / "model.onnx")
    # Threads of a runtime lose sums that they scatter to one place: only where bags
    # begin, each row to a place of its own, is anything scattered.
    graph = onnx.load(tmp_path / "model.onnx").graph
    assert [one.op_type for one in graph.node].count("ScatterND") == 1
    chance = np.random.default_rng(0)
    d = TRAIN.bags.n_features
    for sizes in ((1,), (3000,), (1,) * 700, (2, 5, 1, 900)):
        bags = Bags([chance.normal(size=(n, d)) for n in sizes])
        assert_same(model, tmp_path / "model.onnx", bags)


def test_vectors_are_bags_of_one_instance(tmp_path):
    chance = np.random.default_rng(0)
    x, sets = chance.normal(size=(9, 4)), [{i % 3} for i in range(9)]
    model = PRODEN(training=FEW).fit(x, sets)
    export_onnx(model, tmp_path / "model.onnx")
    found = outputs(tmp_path / "model.onnx", Bags([row[None] for row in x]))
    np.testing.assert_allclose(
        found["probabilities"], model.predict_proba(x), atol=1e-5
    )


class Own(nn.Module):
    """An encoder of a user's, with what training alone does."""

    def __init__(self, branches=False):
        super().__init__()
        self.layer, self.drop = nn.Linear(TRAIN.bags.n_features, 6), nn.Dropout(0.5)
        self.branches = branches

    def forward(self, x):
        h = torch.relu(self.drop(self.layer(x)))
        return -h if self.branches and h.sum() < 0 else h


def test_an_encoder_of_ones_own_travels_along(tmp_path):
    model = fitted(MIPLMA(encoder=Own(), training=FEW))
    export_onnx(model, tmp_path / "model.onnx")
    assert_same(model, tmp_path / "model.onnx", TEST.bags)


def test_an_encoder_that_branches_is_told(tmp_path):
    model = fitted(MIPLMA(encoder=Own(branches=True), training=FEW))
    with pytest.raises(MiplError, match="must not branch on what it is given"):
        export_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


# -- what the file says of itself -----------------------------------------------------


def metadata(path):
    return {one.key: json.loads(one.value) for one in onnx.load(path).metadata_props}


def test_the_metadata_tell_classes_features_and_calibration(tmp_path):
    names = ["birch", "elm|or", "oak", "ash", "fir"]
    features = [f"f{i}" for i in range(TRAIN.bags.n_features)]
    data = Dataset(
        Bags(TRAIN.bags, features=Features(features)),
        Candidates(TRAIN.candidates.matrix, classes=sorted(names)),
    )
    model = fitted(MIPLMA(training=FEW), data)
    export_onnx(model, tmp_path / "plain.onnx")
    told = metadata(tmp_path / "plain.onnx")
    assert told["calibration"] is None and told["int8"] is False
    assert told["classes"] == model.classes_.tolist()
    assert told["feature_names"] == features
    assert told["method"] == "MIPLMA" and told["versions"]["mipl"]
    model.calibrate(TEST.bags, candidates=TEST.candidates.matrix)
    done = export_onnx(model, tmp_path / "model.onnx")
    assert done.outputs[-1] == "uncalibrated"
    told = metadata(tmp_path / "model.onnx")["calibration"]
    assert told["temperature"] == model.temperature_ != 1.0
    found = outputs(done.path, TEST.bags)
    np.testing.assert_allclose(
        found["uncalibrated"], model._proba(TEST.bags), atol=1e-5
    )
    scores = told["conformal"]["scores"]
    rank = int(np.ceil((len(scores) + 1) * 0.8))
    sets = 1 - found[told["conformal"]["of"]] <= scores[rank - 1] + 1e-6
    sets[np.arange(len(sets)), found["uncalibrated"].argmax(axis=1)] = True
    np.testing.assert_array_equal(sets, model.predict_set(TEST.bags, alpha=0.2))


def test_the_file_names_no_places_and_no_time(tmp_path):
    model = fitted(MIPLMA(training=FEW))
    for name in ("a", "b"):
        done = export_onnx(model, tmp_path / f"{name}.onnx")
        assert done.n_bytes == (tmp_path / f"{name}.onnx").stat().st_size
    data = (tmp_path / "a.onnx").read_bytes()
    assert data == (tmp_path / "b.onnx").read_bytes()
    root = Path(__file__).parents[3]
    for place in (root, Path(torch.__file__).parent, Path.home(), tmp_path):
        assert str(place).encode() not in data
    assert b".py" not in data
    axes = {
        value.name: [axis.dim_param or axis.dim_value for axis in dims]
        for value in (*onnx.load_from_string(data).graph.input,)
        if (dims := value.type.tensor_type.shape.dim)
    }
    d = TRAIN.bags.n_features
    assert axes == {"instances": ["instances", d], "offsets": ["bags + 1"]}


def test_8_bits_take_less_room_and_say_nearly_the_same(tmp_path):
    model = fitted(MIPLMA(width=256, training=FEW))
    whole = export_onnx(model, tmp_path / "whole.onnx")
    small = export_onnx(model, tmp_path / "small.onnx", int8=True)
    assert small.int8 and small.n_bytes < 0.7 * whole.n_bytes
    assert metadata(small.path)["int8"] is True
    assert_same(model, small.path, TEST.bags, atol=0.02)
    one = outputs(small.path, TEST.bags[3:4])["probabilities"]
    together = outputs(small.path, TEST.bags)["probabilities"][3:4]
    np.testing.assert_allclose(one, together, atol=1e-6)  # Bags do not see each other.


# -- mistakes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "name", "told"),
    [
        (MIPLMA(), "model.onnx", "not fitted"),
        (MIPLMA(), "model.pt", r"must end in \.onnx; got .*model\.pt"),
        (
            nn.Linear(1, 1),
            "model.onnx",
            "fitted method of mipl; got a Linear",
        ),
        (PLSVM(), "no/model.onnx", "PLSVM"),
    ],
)
def test_mistakes_are_told(model, name, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        export_onnx(model, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_that_says_something_else_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("mipl.methods.exports.export._TOLERANCE", 0.0)
    model = fitted(MIPLMA(training=FEW))
    with pytest.raises(MiplError, match="would differ from the model by"):
        export_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
