"""Reviews: answers about one data set, and tables of them."""

import csv

import numpy as np
import pytest

from mipl import Bags, Candidates, Dataset, MiplError, read_dataset, write_dataset
from mipl.review import (
    Review,
    read_answers,
    review_queue,
    write_answers,
    write_queue,
)

NAMES = ["ash", "elm|wych", "=oak", "ель"]


@pytest.fixture
def trees():
    rng = np.random.default_rng(0)
    bags = [rng.normal(size=(3, 4)) for _ in range(12)]
    sets = [{NAMES[i % 4], NAMES[(i + 1) % 4]} for i in range(12)]
    labels = [NAMES[i % 4] for i in range(12)]
    ids = [f"slide {i}" for i in range(12)]
    groups = [f"g{i // 2}" for i in range(12)]
    y = Candidates(sets, NAMES)
    return Dataset(Bags(bags, bag_ids=ids), y, labels, groups, name="trees")


@pytest.fixture
def review(trees, tmp_path):
    review = Review(tmp_path / "review", trees)
    review.confirm("slide 0", "ash", by="anna")
    review.add("slide 1", "ель", by="ben")
    review.remove("slide 1", "=oak", by="anna")
    review.skip("slide 2", by="ben")
    return review


def test_answers_become_sets_and_tell_whence(review, trees):
    new = review.dataset()
    assert list(new.candidates)[:3] == [
        {"ash"},
        {"elm|wych", "ель"},
        {"=oak", "ель"},
    ]
    assert list(new.candidates)[3:] == list(trees.candidates)[3:]
    told = new.facts["answers"]
    assert set(told) == {"slide 0", "slide 1"}
    assert told["slide 0"]["was"] == ["ash", "elm|wych"]
    assert told["slide 1"]["by"] == "anna"


def test_a_review_goes_on_and_is_of_one_data_set(review, trees):
    again = Review(review.folder, trees)
    assert again.candidates("slide 1") == ["elm|wych", "ель"]
    with pytest.raises(MiplError, match="is a review of trees"):
        Review(review.folder, trees[:11])
    with pytest.raises(MiplError, match="is no review"):
        Review.of(review.folder / "other", trees)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda r: r.confirm("slide 99", "ash"), "there is no bag 'slide 99'"),
        (lambda r: r.confirm("slide 0", "asch"), "did you mean 'ash'"),
        (lambda r: r.remove("slide 3", *NAMES), "at least one candidate"),
        (lambda r: r.give("slide 3", []), "at least one candidate"),
    ],
)
def test_wrong_answers_are_refused_and_not_kept(review, answer, sentence):
    before = len(review.file.answers())
    with pytest.raises(MiplError, match=sentence):
        answer(review)
    assert len(review.file.answers()) == before


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_answers_come_back_from_a_table(review, trees, tmp_path, suffix):
    path = tmp_path / f"answers.{suffix}"
    write_answers(path, review.standing().values())
    back = {one.bag: one for one in read_answers(path, trees)}
    for bag, one in review.standing().items():
        assert (back[bag].kind, back[bag].classes) == (one.kind, one.classes)
        assert (back[bag].by, back[bag].at) == (one.by, one.at)


def test_the_label_table_is_imported(review, trees, tmp_path):
    write_dataset(trees, tmp_path / "bags")
    path = tmp_path / "labels.csv"
    review.export(path)
    with path.open(encoding="utf-8-sig") as file:
        rows = {row["bag_id"]: row for row in csv.DictReader(file)}
    assert rows["slide 1"]["answered_by"] == "anna"
    assert rows["slide 5"]["answered_by"] == ""
    features = tmp_path / "features"
    features.mkdir()
    for bag_id, rows in zip(trees.bags.bag_ids, trees.bags, strict=True):
        np.save(features / f"{bag_id}.npy", rows)
    back = read_dataset(features, labels=path)
    new = review.dataset()
    order = [back.bags.bag_ids.tolist().index(one) for one in new.bags.bag_ids]
    assert [list(back.candidates)[i] for i in order] == list(new.candidates)
    assert back.groups[order].tolist() == trees.groups.tolist()


def test_the_data_set_keeps_its_provenance_in_a_file(review, tmp_path):
    path = tmp_path / "answered.bags.h5"
    write_dataset(review.dataset(), path)
    back = read_dataset(path)
    assert back.facts["answers"]["slide 0"]["by"] == "anna"
    assert list(back.candidates) == list(review.dataset().candidates)


def test_a_filled_queue_is_read(model, data, tmp_path):
    queue = review_queue(model, data, 4)
    path = tmp_path / "queue.csv"
    write_queue(path, queue)
    with path.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["bag_id"] for row in rows] == [one.bag for one in queue]
    for row, text in zip(rows, ["3", " 1 | 2 ", "Skip", ""], strict=True):
        row["answer"] = text
    with path.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    answers = read_answers(path, data, by="anna")
    assert [(one.kind, one.classes) for one in answers] == [
        ("set", (3,)),
        ("set", (1, 2)),
        ("skip", ()),
    ]
    assert {one.by for one in answers} == {"anna"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bag_id,answer\n0,9\n", "line 2, column 'answer': unknown class '9'"),
        ("bag_id,answer\n77,1\n", "which the data do not have"),
        ("bag_id,answer\n0,1\n0,2\n", "line 3, column 'answer' answers bag '0' again"),
        ("bag_id,answer\n0,\n", "has no answers"),
        ("bag_id,other\n0,1\n", "must have a column 'answer'"),
        ("bag_id,answer\n0,1|\n", "must name candidates"),
    ],
)
def test_a_wrong_table_of_answers_is_told(data, tmp_path, text, sentence):
    path = tmp_path / "answers.csv"
    path.write_text(text)
    with pytest.raises(MiplError, match=sentence.replace("|", r"\|")):
        read_answers(path, data)
