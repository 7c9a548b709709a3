"""The registry: ids, presets, published settings, and methods of other packages."""

import re
import subprocess
import sys
from dataclasses import replace
from inspect import signature
from itertools import groupby

import numpy as np
import pytest
from tests.methods.settings import own_ids

import mipl
from mipl import (
    ABMIL,
    CAVL,
    CC,
    CDL,
    DEMIPL,
    ELIMIPL,
    LMVGPMIL,
    LWS,
    M3PL,
    MAAM,
    MIPLGP,
    MIPLMA,
    MIVAE,
    PLAGGD,
    PLSVM,
    POP,
    PRODEN,
    PRODENMA,
    RC,
    VGPMIL,
    VWSGP,
    Ensemble,
    FastMIPL,
    GatedABMIL,
    LossAttention,
    MiplError,
    OneVsRest,
    ProMIPL,
    method,
)
from mipl.methods.catalogue import registry
from mipl.methods.catalogue.registry import MethodRow, Published, methods, published

# What the ids of version 0.1.0 build, which must stay; later ones need no line here.
KNOWN = {
    **dict.fromkeys(
        (
            "miplma",
            "miplma-released",
            "miplma-paper",
            "miplma-mains",
            "miplma-malab",
            "miplma-woma",
            "miplma-mamm",
        ),
        MIPLMA,
    ),
    "demipl": DEMIPL,
    "elimipl": ELIMIPL,
    "miplgp": MIPLGP,
    "promipl": ProMIPL,
    **dict.fromkeys(("fastmipl", "fastmipl-released", "uamipl"), FastMIPL),
    "cdl": CDL,
    "proden": PRODEN,
    "proden-ma": PRODENMA,
    "rc": RC,
    "cc": CC,
    "lws": LWS,
    "cavl": CAVL,
    "pop": POP,
    "pl-aggd": PLAGGD,
    "pl-svm": PLSVM,
    "m3pl": M3PL,
    "vwsgp": VWSGP,
    "vgpmil": VGPMIL,
    "lm-vgpmil": LMVGPMIL,
    "abmil": ABMIL,
    "abmil-gated": GatedABMIL,
    "loss-attention": LossAttention,
    "maam": MAAM,
    "mivae": MIVAE,
}
OURS = own_ids()
RIVALS = [
    row.id
    for row in methods()
    if row.family == "mipl" and row.published and not row.id.startswith("miplma")
]
BENCHMARKS = ("mnist-mipl", "fmnist-mipl", "birdsong-mipl", "sival-mipl")


def arguments(estimator):
    """All arguments but the nested object itself."""
    return {k: v for k, v in estimator.get_params().items() if k != "training"}


def differing(one, other):
    one, other = arguments(one), arguments(other)
    return {name: one[name] for name in one if one[name] != other[name]}


# -- ids -------------------------------------------------------------------------------


def test_all_ids_are_listed_and_build_their_class():
    assert set(KNOWN) <= set(OURS) and len(set(OURS)) == len(OURS)
    for row in methods():
        model = method(row.id)
        if row.one_vs_rest:
            assert type(model) is OneVsRest
            model = model.estimator
        if row.ensemble:
            assert type(model) is Ensemble
            model = model.estimator
        assert type(model) is KNOWN.get(row.id, row.load())
        assert f"{type(model).__module__}:{type(model).__name__}" == row.path
        assert getattr(mipl, type(model).__name__) is type(model)


def test_ids_come_family_by_family():
    families = [row.family for row in methods()]
    assert [family for family, _ in groupby(families)] == ["mipl", "pll", "mil"]


def test_ids_without_arguments_are_the_presets():
    assert arguments(method("miplma-paper")) == arguments(MIPLMA.paper())
    assert arguments(method("miplma-released")) == arguments(MIPLMA.released())
    assert arguments(method("miplma-thorough")) == arguments(MIPLMA.thorough())
    assert method("miplma").get_params() == MIPLMA().get_params()


@pytest.mark.parametrize(
    ("id", "change"),
    [
        ("miplma-mains", {"lam": 0.0}),
        ("miplma-malab", {"tau": 1.0, "tau_min": 1.0, "tau_decay": 1.0}),
        (
            "miplma-woma",
            {"lam": 0.0, "tau": 1.0, "tau_min": 1.0, "tau_decay": 1.0},
        ),
        ("miplma-mamm", {"margin": "mean"}),
    ],
)
def test_ablations_differ_from_released_as_in_the_paper(id, change):
    assert differing(method(id), MIPLMA.released()) == change


def test_temperature_of_malab_is_one_in_every_epoch():
    model = method("miplma-malab")
    assert {model._clock(t, 100).tau for t in range(1, 102)} == {1.0}


def test_arguments_of_the_caller_win_and_reach_into_training():
    model = method("miplma-woma", lam=3.0, training__lr=0.2)
    assert (model.lam, model.training.lr, model.training.batch_size) == (3.0, 0.2, 1)
    assert method("miplma", training__epochs=7).training.epochs == 7


def test_arguments_of_two_class_methods_reach_inside_and_those_around_them_stay():
    model = method("vgpmil", all_negative="lowest_score", damping=0.5, random_state=3)
    assert (model.all_negative, model.duplication) == ("lowest_score", "replicate")
    assert (model.estimator.damping, model.estimator.random_state) == (0.5, 3)
    defaults = registry.find("vgpmil").defaults()
    around = {"all_negative", "duplication", "n_jobs"}
    assert set(defaults) == {*VGPMIL().get_params(), *around}


def test_every_call_builds_anew():
    first, second = method("miplma-released"), method("miplma-released")
    assert first is not second
    assert first.training is not second.training


def test_listing_tells_title_family_reference_and_all_arguments():
    for row in methods():
        assert row.title and row.summary.endswith(".")
        assert row.path.startswith(f"mipl.methods.{row.family}.")
        year = re.search(r"20\d\d", row.reference.text)[0]
        assert row.reference.bibtex.startswith(
            ("@inproceedings{", "@article{", "@misc{")
        )
        assert f"year      = {{{year}}}" in row.reference.bibtex
        defaults = row.defaults()
        assert set(signature(row.load()).parameters) <= set(defaults)
        assert defaults.get("training__epochs", 50) >= 50


# -- published settings ----------------------------------------------------------------


@pytest.mark.parametrize(("r", "lam"), [(1, 0.05), (2, 0.1), (3, 0.01)])
def test_published_settings_of_mnist(r, lam):
    model = method("miplma-released", published_for="mnist-mipl", r=r)
    assert (model.lam, model.tau_min, model.width) == (lam, 0.1, 128)
    assert (model.training.lr, model.training.epochs) == (0.01, 100)
    assert model.scaling == "none"
    kept = differing(model, MIPLMA.released()).keys()
    assert kept <= {"lam", "scaling", "training__lr", "training__epochs"}


def test_published_settings_of_crc_hold_for_all_its_feature_sets():
    for data in ("crc-mipl", "crc-mipl-row", "crc-mipl-sift"):
        model = method("miplma-released", published_for=data, lam=1, training__lr=0.05)
        assert (model.tau_min, model.width, model.training.epochs) == (0.5, 512, 200)


def test_an_ablation_keeps_its_own_arguments_under_published_settings():
    model = method("miplma-mains", published_for="mnist-mipl", r=2)
    assert (model.lam, model.training.lr) == (0.0, 0.01)
    model = method("miplma-malab", published_for="mnist-mipl", r=2)
    assert (model.tau_min, model.lam) == (1.0, 0.1)


def test_what_the_authors_did_not_publish_is_marked_as_a_gap():
    both = ("training__lr", "lam")
    for data, r in [("sival-mipl", 1), ("fmnist-mipl", 3), ("crc-mipl-sbn", 1)]:
        found = published("miplma-released", data, r)
        assert found.gaps == both
        given = {"tau_min", "width", "training__epochs"}
        assert set(found.settings) - {"scaling"} == given
        assert set(found.chosen) in (set(), set(both))
        assert bool(found.choice) == bool(found.chosen)
    birdsong = published("miplma-released", "birdsong-mipl", 2)
    assert (birdsong.gaps, birdsong.settings["lam"]) == (("training__lr",), 5.0)


def test_published_settings_name_only_arguments_of_the_method():
    for row in methods():
        known = row.defaults()
        for one in row.published:
            assert {*one.settings, *one.gaps, *one.chosen} <= set(known)
            assert set(one.chosen) <= set(one.gaps)
            assert one.source


@pytest.mark.parametrize("id", RIVALS)
@pytest.mark.parametrize("data", BENCHMARKS)
@pytest.mark.parametrize("r", [1, 2, 3])
def test_rivals_build_with_published_settings_for_every_benchmark(id, data, r):
    """What the authors left open is filled, and the row says with what."""
    found = published(id, data, r)
    assert set(found.gaps) == set(found.chosen)
    assert bool(found.choice) == bool(found.chosen)
    model = method(id, published_for=data, r=r)
    for name, value in {**found.settings, **found.chosen}.items():
        assert model.get_params()[name] == value


@pytest.mark.parametrize("id", ["abmil", "abmil-gated", "loss-attention"])
@pytest.mark.parametrize("data", ["musk1", "musk2", "fox", "tiger", "elephant"])
def test_published_settings_of_the_classical_sets(id, data):
    model = method(id, published_for=data)
    assert model.width == (256, 128, 64)
    training = model.training
    assert (training.optimiser, training.lr, training.weight_decay) == (
        "adam",
        1e-4,
        5e-4,
    )
    assert (training.epochs, training.batch_size) == (100, 1)


def test_published_settings_of_maam_are_for_true_labels():
    rates = [
        method("maam", published_for=data, r=0).training.lr
        for data in ("mnist-mipl", "fmnist-mipl")
    ]
    assert rates == [0.005, 0.01]
    with pytest.raises(MiplError, match="were published for r = 0; got r=1"):
        method("maam", published_for="mnist-mipl")


@pytest.fixture
def with_gaps(monkeypatch):
    """The released row with settings of a made-up set, gaps open or filled."""

    def put(**chosen):
        table = (Published("toy", 1, {"width": 9}, "here", ("lam", "tau"), chosen),)
        row = replace(registry.find("miplma-released"), published=table)
        monkeypatch.setattr(registry, "find", lambda id: row)

    return put


def test_open_gaps_are_told_unless_the_caller_fills_them(with_gaps):
    with_gaps()
    with pytest.raises(MiplError, match="no lam and no tau was published for toy, r=1"):
        method("miplma-released", published_for="toy")
    with pytest.raises(MiplError, match="no tau was published"):
        method("miplma-released", published_for="toy", lam=2.0)
    model = method("miplma-released", published_for="toy", lam=2.0, tau=3.0)
    assert (model.width, model.lam, model.tau) == (9, 2.0, 3.0)


def test_gaps_are_filled_by_the_chosen_point_and_the_caller_still_wins(with_gaps):
    with_gaps(lam=0.5, tau=7.0)
    assert method("miplma-released", published_for="toy").tau == 7.0
    assert method("miplma-released", published_for="toy", tau=2.0).tau == 2.0


# -- mistakes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: method("miplam"), "unknown method 'miplam'; did you mean 'miplma'?"),
        (lambda: method("miplma", lamm=1), "unknown argument of miplma 'lamm'; did"),
        (
            lambda: method("miplma", training__lrr=1),
            "unknown argument of miplma 'training__lrr'; did you mean 'training__lr'?",
        ),
        (
            lambda: method("miplma-released", random_state=1, depth=3),
            "unknown argument of miplma-released 'depth'",
        ),
        (
            lambda: method("miplma", published_for="sival"),
            "unknown data set with published settings of miplma 'sival'; did you mean "
            "'sival-mipl'?",
        ),
        (
            lambda: method("miplma", published_for="mnist-mipl", r=4),
            "settings of miplma for mnist-mipl were published for r = 1, 2, 3; got r=4",
        ),
        (
            lambda: method("miplma", published_for="mnist-mipl", r=1.5),
            "r must be a whole number; got 1.5",
        ),
        (
            lambda: method("abmil", one_vs_rest="yes"),
            "one_vs_rest of abmil must be True or False; got 'yes'.",
        ),
        (
            lambda: method("miplma", reduction="mean"),
            "reduction is for partial-label methods, such as proden; miplma learns "
            "from bags as they are: leave reduction out.",
        ),
        (
            lambda: method("vwsgp", inducing=3, depth=3),
            "unknown argument of vwsgp 'depth'; Known: all_negative, duplication, ind",
        ),
        (
            lambda: method("vwsgp", estimator=3),
            "estimator of vwsgp must be a bag method; got 3.",
        ),
        (
            lambda: method("vgpmil", reduction="mean"),
            "reduction is for partial-label methods, such as proden; vgpmil learns",
        ),
        (
            lambda: method("proden", reduction="mean", depth=3),
            "unknown argument of proden 'depth'",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, told):
    with pytest.raises(MiplError) as caught:
        call()
    assert str(caught.value).startswith(told)


def test_listing_and_importing_load_no_torch():
    code = (
        "import sys, mipl; from mipl.methods.catalogue.registry import methods; "
        "methods(); "
        "assert callable(mipl.method); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names_come_from_the_top():
    for name in ("MIPLMA", "Training", "load_model", "method"):
        assert name in mipl.__all__ and getattr(mipl, name)


# -- other packages --------------------------------------------------------------------

PLUGIN = '''
import sys
import numpy as np
from mipl.methods.bases.base import BagClassifier
from mipl.methods.catalogue.method_row import Reference, MethodRow


class MostFrequent(BagClassifier):
    """The class that most bags may have."""

    def __init__(self, power=1.0, random_state=None):
        self.power = power
        self.random_state = random_state

    def _fit(self, bags, candidates):
        share = candidates.initial_weights().sum(axis=0) ** self.power
        self.share_ = share / share.sum()

    def _proba(self, bags):
        return np.tile(self.share_, (len(bags), 1))

    def _state(self):
        arrays, facts = super()._state()
        return {**arrays, "share": self.share_}, facts

    def _restore(self, stored):
        super()._restore(stored)
        self.share_ = stored.array("share", (len(self.classes_),), np.float64)


def named(id, path="toy_methods:MostFrequent"):
    cited = Reference("toy", "@misc{}")
    return MethodRow(id, "Most frequent", "mil", "A sum.", path, cited)


ROW = named("most-frequent")


def row():
    return named("most-frequent-made")


def failing():
    raise KeyError("no weights")


def leaving():
    sys.exit(3)


def taken():
    return named("miplma")


nothing = 5
homeless = named("homeless", "toy_methods:Absent")
'''


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """Put a package with methods of its own on the path, as pip would."""

    def put(**points):
        (tmp_path / "toy_methods.py").write_text(PLUGIN)
        info = tmp_path / "toy_methods-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: toy-methods\nVersion: 1.0\n"
        )
        lines = [f"{name} = {target}" for name, target in points.items()]
        text = "\n".join([f"[{registry.GROUP}]", *lines])
        (info / "entry_points.txt").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)

    yield put
    sys.modules.pop("toy_methods", None)


@pytest.mark.parametrize(
    ("target", "id"),
    [
        ("toy_methods:ROW", "most-frequent"),
        ("toy_methods:row", "most-frequent-made"),
    ],
)
def test_methods_of_other_packages_join_by_row_or_function(plug_in, target, id):
    plug_in(anything=target)
    assert tuple(row.id for row in methods()) == (*OURS, id)
    model = method(id, power=0.0).fit(np.zeros((4, 1)), ["a", "a", "b", "a"])
    assert model.predict_proba(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]


def test_a_method_without_a_network_is_saved_and_loaded(plug_in, tmp_path):
    plug_in(anything="toy_methods:ROW")
    model = method("most-frequent").fit(np.zeros((3, 2)), ["oak", "elm", "oak"])
    model.save(tmp_path / "model")
    again = mipl.load_model(tmp_path / "model")
    assert type(again) is type(model)
    assert again.classes_.tolist() == ["elm", "oak"]
    assert (again.share_ == model.share_).all()


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("toy_methods:failing", "KeyError: 'no weights'"),
        ("toy_methods:leaving", "SystemExit: 3"),
        ("toy_methods:nothing", "it must give a MethodRow, and gave a int"),
        ("toy_methods:gone", "AttributeError"),
        ("nowhere:row", "ModuleNotFoundError"),
    ],
)
def test_a_broken_plug_in_is_listed_and_told_when_used(plug_in, target, told):
    plug_in(broken=target)
    assert [row.id for row in methods()] == [*OURS, "broken"]
    assert method("miplma").lam >= 0
    with pytest.raises(MiplError) as caught:
        method("broken")
    sentence = "method 'broken' of toy-methods cannot be used: "
    assert str(caught.value).startswith(sentence)
    assert told in str(caught.value)


def test_a_row_without_its_class_is_told_when_used(plug_in):
    plug_in(homeless="toy_methods:homeless")
    with pytest.raises(MiplError, match="'homeless' cannot be loaded from"):
        method("homeless")


def test_no_plug_in_takes_over_an_id_of_ours(plug_in):
    plug_in(miplma="toy_methods:taken")
    assert type(method("miplma")) is MIPLMA
    last = methods()[-1]
    assert isinstance(last, MethodRow) and "the id 'miplma' is taken" in last.fault
    with pytest.raises(MiplError, match="is taken"):
        method(last.id)


def test_a_learner_per_class_is_a_choice_for_every_method():
    assert isinstance(method("vwsgp"), OneVsRest)
    assert type(method("vwsgp", one_vs_rest=False, inducing=20)) is VWSGP
    model = method("abmil", one_vs_rest=True, training__epochs=3, n_jobs=2)
    assert isinstance(model, OneVsRest) and model.n_jobs == 2
    assert model.estimator.training.epochs == 3
    # Published settings reach the learner.
    alone = method("abmil", "musk1", r=0)
    model = method("abmil", "musk1", r=0, one_vs_rest=True)
    assert repr(model.estimator) == repr(alone) != repr(method("abmil"))
