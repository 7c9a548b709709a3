"""``mipl export``: a model folder as an ONNX file."""

import json

import numpy as np
import onnxruntime
import pytest

import mipl


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    data = mipl.load_dataset("synthetic", r=1)
    few = mipl.Training(epochs=2)
    for name, model in {
        "network": mipl.MIPLMA(training=few),
        "linear": mipl.MeanPooling(),
    }.items():
        model.fit(data.bags, data.candidates).save(folder / name)
    return folder


def test_a_network_is_written(run, models, tmp_path) -> None:
    out = tmp_path / "model.onnx"
    ran = run("export", models / "network", out)
    assert ran.code == 0, ran.err
    assert "probabilities, attention, instance_scores" in ran.out
    bags = mipl.load_dataset("synthetic", r=1).bags
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    given = {"instances": bags.instances, "offsets": bags.offsets}
    (p,) = session.run(["probabilities"], given)
    expected = mipl.load_model(models / "network").predict_proba(bags)
    np.testing.assert_allclose(p, expected, atol=1e-5)


def test_json_tells_what_was_written(run, models, tmp_path) -> None:
    out = tmp_path / "small.onnx"
    ran = run("export", models / "network", out, "--int8", "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["path"] == str(out) and told["n_bytes"] == out.stat().st_size
    assert told["int8"] is True and 0 < told["difference"] < 0.05


@pytest.mark.parametrize(
    ("model", "out", "sentence"),
    [
        ("linear", "model.onnx", "MeanPooling trains no network"),
        ("network", "model.txt", "must end in .onnx"),
        ("nothing", "model.onnx", "does not exist"),
        ("network", "no/where/model.onnx", "does not exist; create it"),
    ],
)
def test_mistakes_are_sentences(run, models, tmp_path, model, out, sentence) -> None:
    ran = run("export", models / model, tmp_path / out)
    assert ran.code == 2
    assert sentence in ran.err and "Traceback" not in ran.err
    assert not list(tmp_path.iterdir())
