"""``mipl review``: the queue, answers, and training again."""

import csv
import json

import pytest

import mipl


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A run on a data set of one's own, whose classes have names."""
    folder = tmp_path_factory.mktemp("review")
    data = mipl.load_dataset("synthetic", r=2, n_bags=40, overlap=0.3)
    names = ["ash", "elm", "fir", "oak", "yew"]
    ids = [f"plot-{i}" for i in range(40)]
    bags = mipl.Bags(data.bags.instances, data.bags.offsets, bag_ids=ids)
    sets = [[names[c] for c in one] for one in data.candidates]
    labels = [names[c] for c in data.labels]
    own = mipl.Dataset(bags, mipl.Candidates(sets, names), labels, name="trees")
    mipl.write_dataset(own, folder / "trees.bags.h5")
    few = {"training__epochs": 2, "width": 8}
    run = mipl.Run("miplma", str(folder / "trees.bags.h5"), few, split=0)
    run.execute(folder / "run")
    return folder


def filled(path, answers):
    with path.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for row, answer in zip(rows, answers, strict=False):
        row["answer"] = answer
    with path.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return [row["bag_id"] for row in rows]


def test_a_queue_is_filled_in_applied_and_trained_with(run, place, tmp_path) -> None:
    data, model = place / "trees.bags.h5", place / "run"
    queue = tmp_path / "queue.csv"
    done = run("review", data, model, "-o", queue, "--n", 5)
    assert done.code == 0
    assert "5 questions about 28 bags" in done.out
    bags = filled(queue, ["oak", "ash|elm", "skip"])
    assert len(bags) == 5
    new, labels = tmp_path / "new.bags.h5", tmp_path / "labels.csv"
    told = run(
        *("review", "apply", data, queue, "-o", new, "--labels", labels),
        *("--by", "anna", "--json"),
    ).json
    assert (told["confirmed"], told["skipped"]) == (1, 1)
    back = mipl.read_dataset(new)
    place_of = back.bags.bag_ids.tolist().index
    assert list(back.candidates)[place_of(bags[0])] == {"oak"}
    assert back.facts["answers"][bags[1]]["by"] == "anna"
    assert labels.exists()
    out = tmp_path / "again"
    told = run("review", "again", data, model, queue, "-o", out, "--json").json
    assert told["answers"] == 2
    assert told == {"folder": str(out)} | json.loads((out / "changes.json").read_text())
    refused = run("review", "again", data, model, queue, "-o", out)
    assert refused.code == 2
    assert "give another folder, or --force to replace it" in refused.err
    # The next queue asks about none of these.
    queued = run("review", "queue", out / "answered.bags.h5", out / "run", "--json")
    assert not {bags[0], bags[1]} & {one["bag"] for one in queued.json}


def test_answers_one_by_one(run, place, tmp_path) -> None:
    data, review = place / "trees.bags.h5", tmp_path / "review"
    give = ("review", "answer", data, review, "--by", "anna")
    told = run(*give, "--bag", "plot-3", "--is", "elm", "--is", "oak", "--json").json
    assert told["candidates"] == ["elm", "oak"]
    told = run(*give, "--bag", "plot-3", "--remove", "elm", "--json").json
    assert told["candidates"] == ["oak"]
    told = run(*give, "--undo", "--json").json
    assert told["candidates"] == ["elm", "oak"]
    assert run(*give, "--bag", "plot-4", "--skip").code == 0
    listed = run("review", "answers", data, review, "--json").json
    assert [one["bag"] for one in listed] == ["plot-3", "plot-4"]
    table = tmp_path / "answers.csv"
    assert run("review", "answers", data, review, "-o", table).code == 0
    one, two = tmp_path / "one.bags.h5", tmp_path / "two.bags.h5"
    run("review", "apply", data, table, "-o", one)
    run("review", "apply", data, review, "-o", two)
    both = [list(mipl.read_dataset(path).candidates) for path in (one, two)]
    assert both[0] == both[1]
    assert both[0][3] == {"elm", "oak"}
    queue = run("review", data, place / "run", "--answered", review, "--json").json
    assert not {"plot-3", "plot-4"} & {one["bag"] for one in queue}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--is", "oak"), "give --bag"),
        (("--bag", "plot-3"), "got 0 of them"),
        (("--bag", "plot-3", "--skip", "--is", "oak"), "got 2 of them"),
        (("--bag", "plot-3", "--is", "aok"), "did you mean 'oak'"),
        (("--bag", "slot", "--skip"), "there is no bag 'slot'"),
        (("--undo",), "there is no answer"),
    ],
)
def test_wrong_answers_are_one_sentence(run, place, tmp_path, words, sentence) -> None:
    done = run("review", "answer", place / "trees.bags.h5", tmp_path / "r", *words)
    assert done.code == 2
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1


def test_the_data_are_never_written_over(run, place, tmp_path) -> None:
    data, table = place / "trees.bags.h5", tmp_path / "a.csv"
    table.write_text("bag_id,answer\nplot-1,oak\n")
    before = data.read_bytes()
    done = run("review", "apply", data, table, "-o", data)
    assert done.code == 2
    assert "give another name" in done.err
    assert data.read_bytes() == before


def test_a_mistake_of_the_queue_names_its_options(run, place) -> None:
    done = run("review", place / "trees.bags.h5", place / "run", "--r", 3)
    assert done.code == 2
    assert "--r" in done.err
    assert run("review").code in (0, 2)
