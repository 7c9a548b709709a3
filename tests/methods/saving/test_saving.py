"""Saving: the card, what cannot be saved, and models that lie there already."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import mipl
from mipl import MIPLMA, MiplError, Training, load_model
from mipl.methods.saving import model_file
from mipl.methods.saving.model_file import CARD, FACTS, VALUES

QUICK = Training(epochs=2, batch_size=4)

# -- the card --------------------------------------------------------------------------


def test_the_card_tells_data_figures_use_misuse_and_loading(tmp_path):
    train, test = mipl.load_dataset("synthetic", r=2).split(0)
    model = MIPLMA(training=QUICK).fit(train.bags, train.candidates)
    accuracy = model.score(test.bags, test.labels)
    model.save(tmp_path / "m", data=train, figures={"test accuracy": accuracy})
    card = (tmp_path / "m" / CARD).read_text()
    assert f"| test accuracy | {accuracy:.6g} |" in card
    assert "| name | synthetic |" in card
    assert f"| bags | {len(train)} |" in card
    assert train.bags.digest() in card
    for words in ("Meant for:", "Not meant for:", "mipl.load_model(", "not calibrated"):
        assert words in card
    assert "Tang, Yang, Wang, Zhang, Zhang" in card
    assert "| training__epochs | 2 |" in card


def test_names_from_data_cannot_shape_the_card(tmp_path, made):
    data = made(("a\n# Forged", "`<b>`|x|", "c"))
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    model.save(tmp_path / "m", figures={"x | y\n## More": 1})
    card = (tmp_path / "m" / CARD).read_text()
    assert "\n# Forged" not in card and "\n## More" not in card and "<b>" not in card


# -- saving goes wrong -----------------------------------------------------------------


def test_only_a_fitted_model_is_saved(tmp_path):
    with pytest.raises(NotFittedError):
        MIPLMA().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"figures": {"accuracy": float("nan")}}, "NaN or infinite"),
        ({"data": {"name": "x"}}, "data of save must be the Dataset trained on"),
    ],
)
def test_what_cannot_be_saved_is_told_and_leaves_nothing(
    fitted, tmp_path, arguments, told
):
    with pytest.raises(MiplError, match=told):
        fitted.save(tmp_path / "model", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_saved_that_could_not_be_loaded(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "_LONGEST_JSON", 1000)
    with pytest.raises(MiplError, match="at most 1,000 can be loaded"):
        fitted.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_an_argument_that_json_cannot_hold_is_told(tmp_path, made):
    data = made()
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    model.random_state = np.random.default_rng(0)
    with pytest.raises(MiplError, match="random_state of MIPLMA is a Generator, which"):
        model.save(tmp_path / "model")


def test_a_folder_with_other_files_is_not_replaced(fitted, saved):
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(MiplError, match="holds other files"):
        fitted.save(saved)
    assert (saved / "notes.txt").read_text() == "mine"


def test_an_earlier_model_is_replaced_whole(saved, made, assert_same):
    data = made((0, 1, 2))
    model = MIPLMA(width=7, training=QUICK).fit(data.bags, data.candidates)
    model.save(saved)
    assert_same(model, load_model(saved), data)
    assert {path.name for path in saved.iterdir()} == {VALUES, FACTS, CARD}
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_model_killed_between_the_renames_is_still_found(
    fitted, saved, made, assert_same
):
    aside = saved.rename(saved.with_name(f".{saved.name}.previous"))
    assert_same(fitted, load_model(saved), made())
    fitted.save(saved)
    assert not aside.exists()


def test_the_folder_of_a_run_opens_its_model(tmp_path) -> None:
    data = mipl.load_dataset("synthetic", n_bags=8)
    model = MIPLMA(training=Training(epochs=1), random_state=0)
    (tmp_path / "run").mkdir()
    model.fit(data.bags, data.candidates).save(tmp_path / "run" / "model")
    (tmp_path / "run" / "run.toml").write_text("")
    p = load_model(tmp_path / "run").predict_proba(data.bags)
    assert (p == model.predict_proba(data.bags)).all()
    with pytest.raises(MiplError, match="nothing"):
        load_model(tmp_path / "nothing")


def test_a_number_that_is_no_finite_one_is_told(saved) -> None:
    text = (saved / FACTS).read_text()
    wide = re.sub(r'"lam": [0-9.]+', '"lam": 1e999', text, count=1)
    assert wide != text
    (saved / FACTS).write_text(wide)
    with pytest.raises(MiplError, match=r"not finite|damaged"):
        load_model(saved)
