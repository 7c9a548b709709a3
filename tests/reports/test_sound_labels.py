"""Labels of recordings: what names hold steers neither tables nor programs."""

import numpy as np

from mipl import Bags
from mipl.reports.sound_labels import audacity_labels, raven_table
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import places_of

FACTS = {"coords": ["start", "end", "low", "high"]}


def told(coords, classes, facts=FACTS):
    n, k = len(coords), len(classes)
    bag = Bags([np.zeros((n, 2))], coords=coords)
    scores = np.eye(k)[np.arange(n) % k]
    return Explanation(
        "bag 0", bag, np.array(classes), np.full(k, 1 / k), np.ones(k, bool),
        np.full(k, 1 / k), 0.0, None, np.linspace(0.1, 0.9, n), None, scores, facts,
    )  # fmt: skip


def test_tabs_and_line_ends_in_names_stay_in_their_cell():
    one = told([[1, 2, 100, 200], [0.5, 0.7, 300, 400]], ["a\tb\n9\t9\tx", "wren"])
    places = places_of(one.bag, FACTS)
    lines = audacity_labels(one, places).splitlines()
    assert len(lines) == 4 and all(line.count("\t") == 2 for line in lines)
    assert lines[0] == "0.500000\t0.700000\twren 0.9"
    assert lines[1] == "\\\t300.000000\t400.000000"
    rows = raven_table(one, places).splitlines()
    assert len(rows) == 3 and {row.count("\t") for row in rows} == {8}


def test_only_the_most_attended_are_written_in_the_order_of_time():
    one = told([[t, t + 1, 0, 1] for t in (5, 3, 1, 2)], ["a", "b"])
    rows = raven_table(one, places_of(one.bag, FACTS), top=2).splitlines()[1:]
    assert [row.split("\t")[3] for row in rows] == ["1.000000", "2.000000"]


def test_recordings_without_frequencies_have_times():
    facts = {"coords": ["start", "end"]}
    one = told([[0, 1], [1, 2]], ["a", "b"], facts)
    places = places_of(one.bag, facts)
    assert audacity_labels(one, places).count("\n") == 2
    assert raven_table(one, places).splitlines()[1].split("\t")[5:7] == ["0.0", "0.0"]
