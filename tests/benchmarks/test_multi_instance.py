"""Multi-instance measurements: what a row tells of a fold."""

import pytest

from benchmarks import multi_instance
from mipl import OneVsRest, load_dataset, method

DATA = load_dataset("synthetic", n_bags=40)


@pytest.mark.parametrize("way", ["k-way", "one-vs-rest"])
def test_the_share_of_all_negative_bags_is_told_where_there_is_one(way, monkeypatch):
    train, test = DATA.split(0)
    model = method("abmil", training__epochs=3, random_state=0)
    model = OneVsRest(model) if way == "one-vs-rest" else model
    monkeypatch.setattr(multi_instance, "parts", lambda job: [(train, test)])
    monkeypatch.setattr(multi_instance, "build", lambda job: model)
    job = multi_instance.columns(["synthetic"])[0]
    [row] = multi_instance.work(job)
    assert row["accuracy"] == f"{model.score(test.bags, test.labels):.4f}"
    if way == "one-vs-rest":
        assert float(row["all_negative"]) == pytest.approx(
            model.all_negative_rate(test.bags), abs=1e-4
        )
    else:
        assert row["all_negative"] == ""
