"""Every number that sizes something is bounded before it is used."""

import json

import numpy as np
import pytest

import mipl
from mipl import MIPLMA, MiplError, Training, load_dataset
from mipl.data.splits import ten_splits
from mipl.methods.catalogue.registry import methods
from mipl.methods.saving import model_file
from mipl.parameters import COUNT, Integer, parameters
from mipl.runs.run import Run

KINDS = [Training, *(row.load() for row in methods() if not row.fault)]
HUGE = (COUNT + 1, 10**12, 1 << 63, 10**5000)


def sized():
    for kind in dict.fromkeys(KINDS):
        for name, one in parameters(kind).items():
            if isinstance(one, Integer):
                yield pytest.param(kind, name, one, id=f"{kind.__name__}.{name}")


def test_there_are_numbers_that_size_something():
    assert len(list(sized())) > 40


@pytest.mark.parametrize(("kind", "name", "declared"), list(sized()))
@pytest.mark.parametrize("value", HUGE, ids=["count", "12", "63", "5000"])
def test_every_declared_number_has_a_bound(kind, name, declared, value):
    with pytest.raises(MiplError, match=f"^{name} must be") as caught:
        declared.check(name, value)
    assert len(str(caught.value)) < 400


def test_more_threads_than_a_machine_bears_are_refused_before_torch_tries():
    data = load_dataset("synthetic")
    model = MIPLMA(training=Training(epochs=1, threads=1_000_000))
    with pytest.raises(MiplError, match=r"threads .* at most 256 can be borne"):
        model.fit(data.bags, data.candidates)


def test_a_saved_model_that_asks_for_too_much_is_refused(tmp_path):
    """Its seal is made anew, as somebody who sends it would."""
    data = load_dataset("synthetic")
    model = MIPLMA(training=Training(epochs=1), random_state=0)
    model.fit(data.bags, data.candidates).save(tmp_path / "good")
    text = (tmp_path / "good" / "model.json").read_text()
    for name in ("threads", "batch_size", "epochs", "width"):
        facts = json.loads(text)
        assert change(facts, name, 10**12)
        facts.pop("sha256")
        facts_file = model_file.ModelFile.model_validate(facts)
        values = (tmp_path / "good" / "model.safetensors").read_bytes()
        bad = tmp_path / name
        bad.mkdir()
        (bad / "model.safetensors").write_bytes(values)
        sealed = facts_file.sealed(values).model_dump_json()
        (bad / "model.json").write_text(sealed)
        with pytest.raises(MiplError, match=name):
            mipl.load_model(bad).predict(data.bags)


def change(tree, name, value) -> bool:
    """Change the first argument of this name in a tree of JSON."""
    if isinstance(tree, dict):
        if name in tree:
            tree[name] = value
            return True
        return any(change(inner, name, value) for inner in tree.values())
    return isinstance(tree, list) and any(change(one, name, value) for one in tree)


@pytest.mark.parametrize("name", ["r", "split", "seed"])
def test_numbers_of_a_run_fit_into_a_store(name):
    assert getattr(Run("miplma", "digits-mipl", **{name: (1 << 63) - 1}), name)
    with pytest.raises(MiplError, match=f"{name} of a run must be"):
        Run("miplma", "digits-mipl", **{name: 1 << 63})


def test_splits_and_made_data_are_bounded():
    with pytest.raises(MiplError, match="n_splits must be an integer"):
        ten_splits(np.repeat([0, 1], 10), n_splits=10**9)
    with pytest.raises(MiplError, match=r"numbers; at most [\d,]+ are made"):
        load_dataset("synthetic", n_bags=10**9)
