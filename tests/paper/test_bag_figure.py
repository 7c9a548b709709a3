"""Figures of single bags: what a run keeps is what its panel shows."""

from dataclasses import replace

import pytest

from mipl.datasets import load_dataset
from mipl.datasets.published_sets import PublishedSet
from mipl.methods.catalogue.registry import method
from mipl.paper.artefact_selection import Selection
from mipl.paper.bag_figure import LookAtEpochs, LookAtInstances, WatchedFigure
from mipl.paper.cells import Spot
from mipl.paper.entrants import OURS, Entrant
from mipl.paper.figures.curves import TrainingCurves
from mipl.paper.figures.fig1 import FIGURE as FIG1
from mipl.paper.figures.fig_a2 import FIGURE as FIG_A2
from mipl.paper.index import artefact
from mipl.reports.entry_text import gaps
from mipl.runs.computing import compute
from mipl.runs.result import Result
from mipl.runs.store import Store

DIGITS = PublishedSet("digits-mipl", "Digits", "digits-mipl", counts=(1,))
QUICK = Selection(epochs=3)
MINE = Entrant("miplma", "ours")
THEIRS = Entrant("demipl", "DEMIPL")


def looks(leader):
    return (
        LookAtInstances(MINE, DIGITS, 1, (2, 5), 5, "a"),
        LookAtInstances(THEIRS, DIGITS, 1, (2, 5), 2, "b"),
        LookAtEpochs(MINE, DIGITS, 1, (0, 7), 7, "c"),
    )


FIGURE = WatchedFigure("small", "Three looks", looks, 3)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("watched") / "results.db", create=True)
    for run in FIGURE.plan(QUICK):
        [outcome] = compute([run])
        assert outcome.result.state == "finished", outcome.result.message
        store.record(outcome.result, outcome.curves, outcome.predictions)
    return store


def test_panels_show_what_the_models_say(store):
    product = FIGURE.build(store, QUICK)
    assert (product.runs, product.missing) == (3, 0)
    [picture] = product.pictures
    mine, theirs, epochs = picture.panels
    train, test = load_dataset("digits-mipl").split(0)
    model = method("miplma", random_state=0, training__epochs=3)
    model.fit(train.bags, train.candidates)
    bag = test[[5]]
    assert mine.weights == pytest.approx(model.attend(bag.bags).tolist(), rel=1e-5)
    truth = (bag.bags.instance_labels == bag.labels[0]).tolist()
    assert mine.positive == tuple(truth)
    assert sum(theirs.weights) == pytest.approx(1)  # DEMIPL's own do not.
    assert len(epochs.candidate) == len(epochs.other) == 3


def test_recorded_bags_are_told_apart(store):
    curves = {}
    for place in (0, 7):
        look = LookAtEpochs(MINE, DIGITS, 1, (0, 7), place, "")
        [result] = store.answers([look.run(QUICK)]).values()
        curves[place] = look.panel(store.curves(result)).candidate
    assert curves[0] != curves[7]


def test_panels_of_missing_runs_are_empty(store, tmp_path):
    some = Store(tmp_path / "some.db", create=True)
    [known, *_] = store.answers(FIGURE.plan(QUICK)[:1]).values()
    some.record(known, store.curves(known))
    product = FIGURE.build(some, QUICK)
    assert product.missing == 2
    [picture] = product.pictures
    assert len(picture.panels) == 3
    assert sum(getattr(p, "weights", None) is not None for p in picture.panels) == 1


def test_runs_known_by_their_accuracy_alone_are_told(store, tmp_path):
    """As those of a table, which will not be computed again."""
    some = Store(tmp_path / "some.db", create=True)
    first, second, _ = FIGURE.plan(QUICK)
    some.record(Result(first, "finished", 0.5, 1.0))
    some.record(Result(second, "diverged", None, 1.0))
    product = FIGURE.build(some, QUICK)
    assert (product.bare, product.diverged, product.missing) == (1, 1, 1)
    assert "1 of 3 runs came without curves" in gaps(product)
    curves = TrainingCurves("curves", "")
    run = curves.plan(QUICK)[0]
    some.record(Result(run, "finished", 0.5, 1.0))
    assert curves.build(some, QUICK).bare == 1


def test_nothing_is_drawn_of_nothing(tmp_path):
    empty = Store(tmp_path / "empty.db", create=True)
    product = FIGURE.build(empty, QUICK)
    assert (product.missing, product.pictures) == (3, ())


def test_wrong_places_are_told(store):
    more = {"watch": [999], "training__epochs": 1}
    run = replace(FIGURE.plan(QUICK)[0], arguments=more)
    [outcome] = compute([run])
    assert outcome.result.state == "failed"
    assert "watch of a run must name test bags from 0 to 74" in outcome.result.message


def test_the_papers_figures_share_their_runs():
    runs = FIG_A2.plan(Selection())
    assert [run.method for run in runs] == ["miplma", "elimipl", "demipl"]
    shared = set(runs) & set(FIG1.plan(Selection()))
    assert {run.method for run in shared} == {"miplma", "elimipl"}
    assert artefact("fig1") is FIG1


def test_methods_and_data_can_be_left_out():
    only = Selection(methods=("elimipl",), data=("fmnist-mipl",))
    assert [run.method for run in FIG1.plan(only)] == ["elimipl"]


def test_ordinary_cells_are_not_filled_by_watched_runs(tmp_path):
    """They have other arguments, so that a table never mixes the two."""
    store = Store(tmp_path / "one.db", create=True)
    watched = FIG_A2.plan(Selection())[0]
    store.record(Result(watched, "finished", 0.9, 1.0))
    plain = Spot(OURS, FIG_A2.looks(OURS)[0].source, 1).runs(Selection(splits=(0,)))
    assert not store.answers(plain)


def test_every_panel_of_figure_1_names_its_data_and_its_bag():
    titles = {look.title: (look.source, look.place) for look in FIG1.looks(OURS)}
    assert {t.split(", ")[1] for t in titles} == {
        "FMNIST",
        "C-Row bag 1",
        "C-Row bag 2",
    }
    assert titles["(f) MIPLMA (ours), C-Row bag 2"][1] == 100
    assert "stand-in" in FIG1.title
