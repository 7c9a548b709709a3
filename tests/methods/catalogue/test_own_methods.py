"""Methods that a program registers: what they need, and where they are known."""

import numpy as np
import pytest

import mipl
from mipl.errors import BadFile, MiplError
from mipl.methods.catalogue.registered import forget, registered
from mipl.methods.catalogue.registry import find, methods
from mipl.parameters import number, redeclared
from mipl.runs.result import Result
from mipl.runs.runner import left, run_plan
from mipl.runs.store import Store

pytestmark = pytest.mark.usefixtures("own_methods_forgotten")
QUICK = {"training__epochs": 2}


class Halved(mipl.MIPLMA):
    """MIPLMA whose loss is turned down.

    More that nobody lists.
    """

    volume: float = number("What the loss is multiplied by.", default=0.5, above=0)
    width: int = redeclared(default=8)

    def _loss(self, out, batch, w, clock):
        terms = super()._loss(out, batch, w, clock)
        return {name: self.volume * term for name, term in terms.items()}


class Rows(mipl.PRODEN):
    """A method of vectors."""


class Two(mipl.VGPMIL):
    """A method of two classes."""


class Constant(mipl.BagClassifier):
    """The same probabilities for every bag, with no network and no argument."""

    def _fit(self, bags, candidates):
        self.shares_ = candidates.initial_weights().mean(axis=0)

    def _proba(self, bags):
        return np.tile(self.shares_, (len(bags), 1))


def test_it_is_built_listed_and_told_apart_by_its_arguments():
    assert mipl.register(Halved, id="halved") is Halved
    mipl.register(Halved, "halved-more", "At a tenth.", volume=0.1)
    assert mipl.method("halved").volume == 0.5
    assert mipl.method("halved-more").volume == 0.1
    assert mipl.method("halved-more", volume=0.2).volume == 0.2
    rows = {row.id: row for row in methods()}
    assert rows["halved"].summary == "MIPLMA whose loss is turned down."
    assert rows["halved-more"].summary == "At a tenth."
    assert rows["halved"].family == "mipl"
    schema = find("halved").schema()["properties"]["volume"]
    assert (schema["default"], schema["exclusiveMinimum"]) == (0.5, 0)


def test_vectors_and_two_classes_are_known_by_the_class():
    mipl.register(Rows, "rows")
    mipl.register(Two, "two")
    reduced = mipl.method("rows", reduction="mean")
    assert type(reduced.estimator) is Rows
    assert type(mipl.method("two")) is mipl.OneVsRest


def test_a_class_of_the_library_gets_a_second_id_and_loads_anywhere(tmp_path):
    data = mipl.load_dataset("synthetic", n_bags=30)
    mipl.register(mipl.MIPLMA, "short", "With a short embedding.", width=4)
    model = mipl.method("short", **QUICK).fit(data.bags, data.candidates)
    model.save(tmp_path / "model")
    forget("short")
    assert type(mipl.load_model(tmp_path / "model")) is mipl.MIPLMA


@pytest.mark.parametrize("kind", [Halved, Constant])
def test_its_models_load_where_it_is_registered(kind, tmp_path):
    mipl.register(kind, "own")
    data = mipl.load_dataset("synthetic", n_bags=30)
    model = mipl.method("own", **(QUICK if kind is Halved else {}))
    model.fit(data.bags, data.candidates)
    model.save(tmp_path / "model")
    again = mipl.load_model(tmp_path / "model")
    p = model.predict_proba(data.bags)
    assert np.array_equal(again.predict_proba(data.bags), p)
    forget("own")
    sentence = (
        r"'own', which is not a registered method here; "
        rf".*register\({kind.__name__}, id='own'\)"
    )
    with pytest.raises(BadFile, match=sentence):
        mipl.load_model(tmp_path / "model")


def test_what_a_file_cannot_hold_is_told_by_name(tmp_path):
    data = mipl.load_dataset("synthetic", n_bags=30)
    model = Constant().fit(data.bags, data.candidates)
    model.tree_ = object()
    with pytest.raises(MiplError, match="tree_ of Constant is a object, which"):
        model.save(tmp_path / "model")


def test_a_folder_of_a_model_makes_nothing_run(tmp_path):
    mipl.register(Halved, "own")
    data = mipl.load_dataset("synthetic", n_bags=30)
    model = mipl.method("own", **QUICK).fit(data.bags, data.candidates)
    model.save(tmp_path / "model")
    forget("own")
    for name in ("own.py", "registered.py", "test_own_methods.py", "conftest.py"):
        (tmp_path / "model" / name).write_text("raise SystemExit('it ran')")
    with pytest.raises(BadFile, match="not a registered method"):
        mipl.load_model(tmp_path / "model")


def test_a_class_that_is_defined_again_takes_the_place_of_the_first():
    first = type("Again", (mipl.MIPLMA,), {"__doc__": "One."})
    second = type("Again", (mipl.MIPLMA,), {"__doc__": "Two."})
    mipl.register(first, "again")
    mipl.register(second, "again")
    assert type(mipl.method("again")) is second
    assert [row.summary for row in registered() if row.id == "again"] == ["Two."]


def test_its_runs_are_computed_by_workers(tmp_path):
    mipl.register(Halved, "own")
    store = Store(tmp_path / "results.db", create=True)
    plan = [mipl.Run("own", "digits-mipl", QUICK, split=split) for split in range(2)]
    assert dict(run_plan(plan, store, workers=2).ended) == {"finished": 2}
    here = plan[0].execute().evaluation.truth.accuracy
    answer = store.answers(plan)[plan[0]]
    assert answer.accuracy == here
    assert answer.run.versions["own"] == find("own").code != ""


@pytest.mark.parametrize(
    ("versions", "outdated"),
    [({"own": "other"}, 1), ({"own": None}, 0), ({}, 0), ({"torch": "2"}, 1)],
)
def test_runs_of_another_text_are_told(tmp_path, versions, outdated):
    mipl.register(Halved, "own")
    told = {name: text or find("own").code for name, text in versions.items()}
    run = mipl.Run("own", "digits-mipl", QUICK, versions=told)
    store = Store(tmp_path / "results.db", create=True)
    store.record(Result(run, "finished", 0.5, 1.0))
    assert len(left([run], store).outdated) == outdated  # Without versions none knows.


class Bare(mipl.MIPLMA):
    pass


class Needy(mipl.BagClassifier):
    """A method that cannot be made without an argument."""

    def __init__(self, depth):
        self.depth = depth


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((Bare, "bare"), "Bare needs a docstring whose first line says what it does"),
        ((Needy, "needy"), "Needy must be made without arguments: .*'depth'"),
        ((Halved, "Halved"), "id of register must be small letters .* got 'Halved'"),
        ((Halved, "-x"), "id of register must be"),
        ((Halved, 3), "id of register must be .* got 3"),
        ((Halved, "miplma"), "the id 'miplma' is that of another method"),
        ((Halved(), "own"), "register takes a class with a base of this library"),
        ((dict, "own"), "register takes a class with a base of this library"),
    ],
)
def test_what_it_needs_is_told_in_one_sentence(given, sentence):
    with pytest.raises(MiplError, match=sentence):
        mipl.register(*given)
    assert given[1] not in {row.id for row in registered()}


def test_arguments_it_does_not_have_are_told():
    with pytest.raises(MiplError, match="did you mean 'volume'"):
        mipl.register(Halved, "own", volme=0.5)


def test_an_id_belongs_to_one_class():
    mipl.register(Halved, "own")
    with pytest.raises(MiplError, match="'own' is registered for Halved already"):
        mipl.register(Constant, "own")
