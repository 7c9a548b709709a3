"""What the review and explain screens know, without a browser."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mipl import MiplError, Run, load_dataset, read_dataset, write_dataset
from mipl.page.answer_changes import answer_changes
from mipl.page.explained_bag import bag_picture, explained, scaled, similar_bags
from mipl.page.library import Library
from mipl.page.pairs import others, pairs
from mipl.page.predicted_bags import predicted, source
from mipl.page.review_desk import Desk, labels_csv, next_training, words
from mipl.page.workspace import Workspace
from mipl.review import Answer
from mipl.review.retraining import changes
from mipl.runs.run_settings import RunSettings

FEW = {"width": 8, "training__epochs": 3}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A workspace with a data set and a run on it, as the page makes them."""
    workspace = Workspace(tmp_path_factory.mktemp("work"))
    data = load_dataset("synthetic", r=2, n_bags=40, overlap=0.3)
    write_dataset(data, workspace.new_dataset("trees"))
    within = workspace.datasets()[0].within
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(workspace.folder)
        Run("miplma", within, FEW, split=0).execute(workspace.new_run("first"))
    return workspace


@pytest.fixture
def desk(work):
    return Desk.of(work, Library(), work.datasets()[-1], work.runs()[-1])


def test_a_run_is_shown_with_its_data(work):
    [one] = pairs(work)
    assert (one.data.name, one.run.name, one.method) == ("trees", "first", "miplma")
    assert others([one], one.data.id, one.run.id) == []
    assert others([one], one.data.id, "0" * 32) == [one]


def test_choices_begin_with_the_candidates(desk):
    question = desk.queue[0]
    choices = desk.choices(question)
    n = len(question.candidates)
    assert {one.name for one in choices[:n]} == set(question.candidates)
    assert [one.key for one in choices] == list("12345")
    p = [one.probability for one in choices]
    assert p[:n] == sorted(p[:n], reverse=True)
    assert sum(p) == pytest.approx(1)


def test_answers_move_on_and_undo_leads_back(desk):
    first = desk.queue[0]
    assert desk.next_open(-1) == 0
    desk.review.confirm(first.bag, first.likeliest, by="anna")
    assert desk.next_open(0) == 1
    assert desk.states() == {first.bag: str(first.likeliest)}
    assert desk.progress() == f"1 of {len(desk.queue)} questions answered"
    desk.review.skip(desk.queue[1].bag, by="anna")
    assert desk.next_open(0) == 2
    assert desk.place_of(desk.review.undo(by="anna").bag) == 1
    desk.review.undo(by="anna")
    assert desk.states() == {}


def test_a_toggle_takes_away_and_gives_back(desk):
    question = desk.queue[3]
    name = question.candidates[0]
    desk.toggle(question.bag, name, "anna")
    choice = next(one for one in desk.choices(question) if one.name == name)
    assert (choice.now, choice.before) == (False, True)
    desk.toggle(question.bag, name, "anna")
    assert set(desk.review.candidates(question.bag)) == set(question.candidates)
    for left in question.candidates[1:]:
        desk.toggle(question.bag, left, "anna")
    with pytest.raises(MiplError, match="at least one candidate"):
        desk.toggle(question.bag, name, "anna")


def test_the_next_training_is_the_run_on_answered_data(desk, work):
    data, run = work.datasets()[-1], work.runs()[-1]
    question = desk.queue[0]
    desk.review.confirm(question.bag, question.likeliest, by="anna")
    told = next_training(work, data, run, desk)
    again = RunSettings.of_tables(told["settings"])
    assert again.fields["data"] == "data/trees-answered.bags.h5"
    assert again.fields["split"] == 0
    assert again.arguments["training__epochs"] == 3
    assert told["out"] == "runs/first-answered"
    new = read_dataset(work.folder / "data" / "trees-answered.bags.h5")
    assert list(new.candidates)[question.number] == {question.likeliest}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(work.folder)
        run = again.run()
        assert run.build().width == 8
        assert len(run.parts().train) == 28


def test_what_the_answers_changed_is_what_the_library_tells(work, monkeypatch):
    data, run = work.datasets()[-1], work.runs()[-1]
    desk = Desk.of(work, Library(), data, run)
    desk.review.confirm(desk.queue[0].bag, desk.queue[0].likeliest, by="anna")
    told = next_training(work, data, run, desk)
    assert json.loads(json.dumps(told)) == told  # As the job keeps it.
    monkeypatch.chdir(work.folder)
    out = work.folder / told["out"]
    fitted = RunSettings.of_tables(told["settings"]).run().execute(out)
    found = answer_changes(told["before"], out, told["settings"]["data"])
    expected = changes(
        desk.opened.model,
        fitted.model,
        desk.data,
        read_dataset(told["settings"]["data"]),
        list(desk.review.standing().values()),
        0,
    )
    assert found["changes"]["rows"] == expected.rows()
    assert expected.rows()["answers"].endswith("of them one class")
    examples = found["changes"]["examples"]
    assert [row[0] for row in examples] == [e.bag for e in expected.examples[:20]]
    gone = {**told["before"], "run": "runs/gone"}
    [sentence] = answer_changes(gone, out, told["settings"]["data"]).values()
    assert sentence.startswith("what changed cannot be told: ")


def test_labels_are_a_table_of_all_bags(desk, tmp_path):
    text = labels_csv(desk, tmp_path / "own").decode("utf-8-sig")
    assert len(text.splitlines()) == 41
    assert list((tmp_path / "own").iterdir()) == []


def test_hostile_names_are_shown_plain():
    one = Answer(number=1, bag="p", kind="set", classes=("oak\x1b[31m",))
    assert words(one) == "oak\ufffd[31m"


def test_scales_recomputed_by_counting():
    weights = np.array([0.5, 0.1, 0.1, 0.3])
    for scale, most in (("rank", 1.0), ("percentile", 87.5)):
        found = scaled(weights, scale)
        assert found.argmax() == 0
        assert found[0] == pytest.approx(most)
        assert found[1] == found[2]
    assert (scaled(weights, "raw") == weights).all()
    assert scaled(np.array([1.0]), "rank").tolist() == [0.0]


def test_the_most_similar_bags_are_the_nearest(desk):
    among = list(range(0, 40, 2))
    found = similar_bags(desk.data, desk.opened, 4, among, 3)
    assert len(found) == 3
    assert all(one.number in among and one.number != 4 for one in found)
    distances = [one.distance for one in found]
    assert distances == sorted(distances)
    assert similar_bags(desk.data, desk.opened, 4, [4]) == []


def test_a_picture_of_a_bag_is_a_png(desk):
    told = explained(desk.data, desk.opened, 0)
    picture = bag_picture(told)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    # Who is asked does not see the true class, which is in the picture otherwise.
    assert bag_picture(replace(told, label=None)) != picture


def test_predictions_are_those_of_the_model(work, desk, tmp_path):
    run, data = work.runs()[-1], work.datasets()[-1]
    found = predicted(Library(), run, source(work, data.id))
    p = desk.opened.model.predict_proba(desk.data.bags)
    rows = found.rows()
    assert [row[2] for row in rows] == [f"{one:.1%}" for one in p.max(axis=1)]
    names = desk.opened.model.classes_[p.argmax(axis=1)]
    assert [row[1] for row in rows] == [str(one) for one in names]
    text = found.csv(tmp_path / "own").decode("utf-8-sig").splitlines()
    assert text[0] == "bag_id,predicted,p_0,p_1,p_2,p_3,p_4"
    assert len(text) == 41
    with pytest.raises(MiplError, match="no such bags"):
        source(work, "0" * 32)


def test_files_without_labels_are_predicted(work, desk):
    lines = ["bag_id," + ",".join(f"x{i}" for i in range(10))]
    for bag in range(3):
        for row in desk.data.bags[bag : bag + 1].load().instances:
            lines.append(f"new {bag}," + ",".join(repr(float(v)) for v in row))
    (work.folder / "new.csv").write_text("\n".join(lines))
    [place] = [one for one in work.others() if one.name.startswith("new")]
    found = predicted(Library(), work.runs()[-1], place)
    p = desk.opened.model.predict_proba(desk.data.bags[:3])
    assert [row[0] for row in found.rows()] == ["new 0", "new 1", "new 2"]
    assert np.allclose(found.columns["p_0"], p[:, 0])
