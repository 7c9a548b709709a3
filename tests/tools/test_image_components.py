"""Images as components: rows of the page, and what a row is."""

import csv
from statistics import fmean

import pytest
from tests.tools.test_miplma_pages import found, table, text, told

from mipl import MIPLMA, load_dataset
from tools import image_components, wrong_weights


def test_the_page_tells_the_committed_rows():
    with image_components.FILE.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    body = table("miplma_results.md", "data | r | form | components, ten splits")
    assert len(body) == len({(row["data"], row["r"], row["form"]) for row in rows})
    for data, r, form, here, worst, same, convolutions, seconds in body:
        asked = (data.lower(), r, form)
        own = [row for row in rows if (row["data"], row["r"], row["form"]) == asked]
        values = {int(row["split"]): float(row["accuracy"]) for row in own}
        known = found("miplma", {}, data.lower(), int(r))
        assert here == told(list(values.values())) and len(values) == 10
        assert worst == text(min(values.values()))
        assert same == text(fmean(values[split] for split in known))
        others = [one.accuracy for _, one in sorted(known.items())]
        assert convolutions == told(others)
        assert float(seconds) == pytest.approx(float(own[0]["seconds"]), abs=0.051)


def test_a_row_is_what_a_fit_alone_scores(monkeypatch):
    small = {"defaults": few}
    monkeypatch.setattr(image_components, "FORMS", small)
    found_ = list(image_components.rows("digits-mipl", 1, [2, 5], "defaults", 8))
    assert [row["split"] for row in found_] == [2, 5]
    whole = load_dataset("digits-mipl", r=1)
    train, test = wrong_weights.components(*whole.split(5), 8)
    alone = few(0).fit(train.bags, train.candidates)
    score = alone.score(test.bags, test.labels)
    assert found_[1]["accuracy"] == pytest.approx(score, abs=1e-4)


def few(random_state):
    return MIPLMA(random_state=random_state).set_params(training__epochs=5)
