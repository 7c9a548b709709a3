"""Training again with answers, and what is told of it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mipl import MiplError, Run, load_model, read_dataset
from mipl.review import Answer, review_queue, train_again
from mipl.review.retraining import changes
from mipl.runs.folder import open_model

GIVEN = {"width": 8, "training__epochs": 5}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    options = {"n_bags": 60, "overlap": 0.3}
    Run("miplma", "synthetic", GIVEN, options, 2, split=1).execute(folder)
    return open_model(folder)


def told(data, bags):
    return [
        Answer(number=i, bag=str(b), kind="set", classes=(data.labels[b].item(),))
        for i, b in enumerate(bags, 1)
    ]


def test_a_new_run_on_a_new_data_set(first, tmp_path):
    data = first.run.load()
    bags = [one.number for one in review_queue(first.model, data, 10)]
    answers = told(data, bags)
    done = train_again(first, data, answers, tmp_path / "again")
    new = read_dataset(done.data)
    assert (new.candidates.sizes[bags] == 1).all()
    assert (new.fold(1).test == data.fold(1).test).all()
    assert (done.run.method, done.run.split, done.run.seed) == ("miplma", 1, 0)
    again = open_model(tmp_path / "again" / "run")
    assert again.run.arguments["training__epochs"] == 5
    # It is what the same run from Python becomes, bit for bit.
    alone = done.run.execute().model
    p = alone.predict_proba(data.bags)
    assert (again.model.predict_proba(data.bags) == p).all()
    kept = json.loads((tmp_path / "again" / "changes.json").read_text())
    assert kept == json.loads(json.dumps(done.changes.as_dict()))
    with pytest.raises(MiplError, match="holds a training with answers"):
        train_again(first, data, answers, tmp_path / "again")


def test_what_changed_is_counted(first, tmp_path):
    data = first.run.load()
    answers = told(data, [0, 1, 2])
    answers.append(Answer(number=4, bag="3", kind="skip"))
    done = train_again(first, data, answers, tmp_path / "again")
    found, new = done.changes, read_dataset(done.data)
    after = load_model(tmp_path / "again" / "run" / "model")
    assert (found.answers, found.confirmed, found.skipped) == (3, 3, 1)
    said = [m.predict(data.bags) for m in (first.model, after)]
    assert found.predictions == int((said[0] != said[1]).sum())
    test = data.fold(1).test
    right = [one[test] == data.labels[test] for one in said]
    assert found.accuracy.before == pytest.approx(right[0].mean())
    assert found.accuracy.after == pytest.approx(right[1].mean())
    gained = int(right[1].sum()) - int(right[0].sum())
    assert found.newly_right - found.newly_wrong == gained
    inside = [
        np.mean([said[m][b] in list(new.candidates)[b] for b in test]) for m in (0, 1)
    ]
    assert found.covering_rate.before == pytest.approx(inside[0])
    labels = [
        m.disambiguate(data.bags, data.candidates).labels for m in (first.model, after)
    ]
    expected = np.mean([labels[1][b] == data.labels[b] for b in range(3)])
    assert found.foreseen.after == pytest.approx(expected)


def test_nothing_to_learn_is_told(first, tmp_path):
    data = first.run.load()
    skips = [Answer(number=1, bag="0", kind="skip")]
    with pytest.raises(MiplError, match="no answer yet"):
        train_again(first, data, skips, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_without_split_and_truth_there_are_no_figures_of_tests(first):
    data = replace(first.run.load(), labels=None)
    found = changes(first.model, first.model, data, data, [], None)
    assert found.predictions == 0
    assert (found.accuracy, found.covering_rate, found.foreseen) == (None, None, None)
