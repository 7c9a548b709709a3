"""What is told of a training that is asked for its accuracy after every epoch."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.record import load
from benchmarks.time_to_accuracy import Course

from benchmarks import published_way, time_to_accuracy
from mipl import MIPLMA, load_dataset
from mipl.paper.published import published

COURSE = Course(0.0, [(1.0, 0.5), (2.0, 0.8), (3.0, 0.7), (4.0, 0.8)])


def test_the_first_epoch_that_is_as_accurate_counts():
    assert COURSE.reached(0.5) == 1.0
    assert COURSE.reached(0.51) == COURSE.reached(0.8) == 2.0
    assert COURSE.reached(0.81) == time_to_accuracy.NEVER


def test_the_seconds_of_asking_are_taken_off():
    course = Course()

    def slow():
        total = 0.0
        while course_seconds() < 0.2:
            total += float(np.ones(1000).sum())
        return 0.5 if total else 0.0

    begun = time_to_accuracy.time.process_time()

    def course_seconds():
        return time_to_accuracy.time.process_time() - begun

    course.ask(slow)
    course.ask(lambda: 0.75)
    (first, half), (second, more) = course.points
    assert 0 <= first <= second < 0.1 and (half, more) == (0.5, 0.75)


def test_the_row_is_that_of_the_fastest_training():
    slower = Course(0.0, [(seconds * 2, found) for seconds, found in COURSE.points])
    row = time_to_accuracy.row("sival-mipl", "defaults", [slower, COURSE])
    assert row["printed"] == 0.703 and row["seconds to printed"] == 2.0
    assert (row["seconds to near final"], row["seconds"]) == (2.0, 4.0)
    assert (row["epochs"], row["turns"], row["accuracy"]) == (4, 2, 0.8)


@pytest.mark.parametrize("data", time_to_accuracy.PRINTED)
def test_the_figures_are_those_of_the_paper(data):
    known = published("miplma", "", data, 1)
    assert known.mean == time_to_accuracy.PRINTED[data]


def test_ours_is_asked_after_every_epoch(monkeypatch):
    digits = load_dataset("digits-mipl", r=1)
    monkeypatch.setattr(time_to_accuracy, "load_dataset", lambda data, r: digits)
    model = MIPLMA(width=8, random_state=0).set_params(training__epochs=3)
    course = time_to_accuracy.ours("digits-mipl", model)
    train, test = digits.split(0)
    alone = MIPLMA(width=8, random_state=0).set_params(training__epochs=3)
    alone.fit(train.bags, train.candidates)
    assert len(course.points) == 3
    assert course.ended[1] == alone.score(test.bags, test.labels)


def test_the_published_way_is_shown_after_every_epoch():
    train, _ = load_dataset("synthetic", r=1).split(0)
    settings, seen = published_way.Settings(0.01, 0.05, width=4), []

    def after_epoch(network, tau):
        seen.append((network, tau))

    network, tau = published_way.train(train, settings, 2, 0, after_epoch)
    assert [one for one, _ in seen] == [network, network]
    assert [one for _, one in seen] == pytest.approx([5 * 0.95, 5 * 0.95**2])
    assert tau == seen[-1][1]


def test_the_page_tells_the_measured_seconds():
    page = (Path(__file__).parents[2] / "docs" / "speed.md").read_text()
    ways = {
        "ours": "defaults",
        "ours, thorough": "thorough",
        "published way": "published",
    }
    rows = {(row["data"], row["way"]): row for row in load(time_to_accuracy.FILE)}
    section = page.split("## Time to an accuracy\n")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(table) == len(rows) == 6
    for line in table:
        data, way, *told = [cell.strip() for cell in line.strip("|").split("|")]
        row = rows[data.lower(), ways[way]]
        names = ("printed", "seconds to printed", "seconds to near final", "seconds")
        for cell, name in zip(told, (*names, "accuracy"), strict=True):
            if row[name] == time_to_accuracy.NEVER:
                assert cell == "never"
            else:
                assert float(cell) == pytest.approx(float(row[name]), abs=0.051)
