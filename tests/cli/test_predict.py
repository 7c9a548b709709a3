"""``mipl predict``: tables of predictions, also for bags without labels."""

import csv

import numpy as np
import pytest

import mipl


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    """A user's own table, a model trained on it, and the same bags unlabelled."""
    folder = tmp_path_factory.mktemp("forest")
    rng = np.random.default_rng(0)
    with (
        (folder / "trees.csv").open("w") as labelled,
        (folder / "new.csv").open("w") as new,
    ):
        labelled.write("bag_id,height,width,candidates\n")
        new.write("bag_id,height,width\n")
        for bag in range(20):
            name = ("oak", "elm")[bag % 2]
            sets = name if bag % 3 else "oak|elm"
            for height, width in rng.normal(bag % 2, 1, (3, 2)):
                labelled.write(f"t{bag},{height:.6f},{width:.6f},{sets}\n")
                new.write(f"t{bag},{height:.6f},{width:.6f}\n")
    data = mipl.read_dataset(folder / "trees.csv")
    model = mipl.MIPLMA(training=mipl.Training(epochs=3), random_state=0)
    model.fit(data.bags, data.candidates)
    model.save(folder / "plain")
    model.calibrate(data.bags, candidates=data.candidates).save(folder / "calibrated")
    return folder


def rows_of(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_csv_table_holds_class_and_probabilities(run, forest, tmp_path) -> None:
    out = tmp_path / "p.csv"
    ran = run("predict", forest / "plain", forest / "trees.csv", "-o", out)
    assert ran.code == 0, ran.err
    rows = rows_of(out)
    assert list(rows[0]) == ["bag_id", "predicted", "p_elm", "p_oak"]
    assert [row["bag_id"] for row in rows] == [f"t{i}" for i in range(20)]
    model = mipl.load_model(forest / "plain")
    bags = mipl.read_dataset(forest / "trees.csv").bags
    told = np.array([[float(row["p_elm"]), float(row["p_oak"])] for row in rows])
    np.testing.assert_allclose(told, model.predict_proba(bags), rtol=1e-12)
    assert [row["predicted"] for row in rows] == model.predict(bags).tolist()


def test_bags_need_no_labels(run, forest, tmp_path) -> None:
    for name in ("trees", "new"):
        ran = run(
            "predict",
            forest / "plain",
            forest / f"{name}.csv",
            "-o",
            tmp_path / f"{name}.csv",
        )
        assert ran.code == 0, ran.err
    assert rows_of(tmp_path / "new.csv") == rows_of(tmp_path / "trees.csv")


def test_parquet(run, forest, tmp_path) -> None:
    pandas = pytest.importorskip("pandas")
    out = tmp_path / "p.parquet"
    assert run("predict", forest / "plain", forest / "new.csv", "-o", out).code == 0
    frame = pandas.read_parquet(out)
    assert frame.columns.tolist() == ["bag_id", "predicted", "p_elm", "p_oak"]
    np.testing.assert_allclose(frame[["p_elm", "p_oak"]].sum(axis=1), 1)


def test_sets_of_a_calibrated_model(run, forest) -> None:
    ran = run(
        "predict", forest / "calibrated", forest / "new.csv", "--alpha", 0.2, "--json"
    )
    model = mipl.load_model(forest / "calibrated")
    bags = mipl.read_dataset(forest / "trees.csv").bags
    sets = ["|".join(model.classes_[row]) for row in model.predict_set(bags, alpha=0.2)]
    assert [row["set"] for row in ran.json] == sets


def test_json_without_a_table_holds_the_rows(run, forest, tmp_path) -> None:
    rows = run("predict", forest / "plain", forest / "new.csv", "--json").json
    assert len(rows) == 20 and rows[3]["p_elm"] + rows[3]["p_oak"] == pytest.approx(1)
    out = tmp_path / "p.csv"
    told = run(
        "predict", forest / "plain", forest / "new.csv", "-o", out, "--json"
    ).json
    assert told == {"bags": 20, "table": str(out)}


def test_the_screen_shows_the_first_bags(run, forest) -> None:
    ran = run("predict", forest / "plain", forest / "new.csv")
    assert "the first 10 of 20 bags" in ran.out and "t9" in ran.out
    assert "t10" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("{forest}/plain", "nowhere.csv"), "nowhere.csv does not exist"),
        (("{forest}/nowhere", "{forest}/new.csv"), "nowhere does not exist"),
        (("{forest}", "{forest}/new.csv"), "is not a saved model: it holds no model"),
        (
            ("{forest}/plain", "synthetic"),
            "X has 10 features, but MIPLMA is expecting 2",
        ),
        (
            ("{forest}/plain", "{forest}/new.csv", "-o", "p.txt"),
            "end in .csv or .parquet",
        ),
        (("{forest}/plain", "{forest}/new.csv", "-o", "no/p.csv"), "no does not exist"),
        (("{forest}/plain", "{forest}/new.csv", "--alpha", "0.1"), "is not calibrated"),
        (
            ("{forest}/calibrated", "{forest}/new.csv", "--alpha", "1.5"),
            "alpha must lie between 0 and 1",
        ),
    ],
)
def test_wrong_input_is_one_sentence(
    run, forest, tmp_path, monkeypatch, arguments, sentence
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("predict", *(one.format(forest=forest) for one in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err and ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_damaged_model_is_told(run, forest, tmp_path) -> None:
    (tmp_path / "model").mkdir()
    for file in (forest / "plain").iterdir():
        (tmp_path / "model" / file.name).write_bytes(file.read_bytes()[:-3])
    ran = run("predict", tmp_path / "model", forest / "new.csv")
    assert ran.code == 2 and "Traceback" not in ran.err


# -- features --------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["predict", "evaluate", "explain"])
def test_columns_in_another_order_or_renamed_are_refused(run, tmp_path, verb) -> None:
    rows = [f"b{i},{i % 2}.{i},{i},{'oak' if i % 2 else 'elm'}" for i in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["bag_id,x,height,label", *rows]))
    swapped = [",".join(np.array(row.split(","))[[0, 2, 1, 3]]) for row in rows]
    few = ("--set", "training.epochs=1", "--out", tmp_path / "run")
    assert run("fit", tmp_path / "t.csv", *few).code == 0
    more = ("--bag", "b1") if verb == "explain" else ()
    assert run(verb, tmp_path / "run", tmp_path / "t.csv", *more).code == 0
    for head in ("bag_id,height,x,label", "bag_id,depth,height,label"):
        (tmp_path / "other.csv").write_text("\n".join([head, *swapped]))
        ran = run(verb, tmp_path / "run", tmp_path / "other.csv", *more)
        assert ran.code == 2
        assert "The feature names should match those that were passed during" in ran.err
    (tmp_path / "other.csv").write_text("\n".join(["bag_id,height,x,label", *swapped]))
    told = ("--set", 'features=["x","height"]')
    assert run(verb, tmp_path / "run", tmp_path / "other.csv", *more, *told).code == 0
