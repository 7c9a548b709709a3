"""A new method is three files: the method, its entry, its test; everything knows it.

They are written as a package of its own, which joins by the entry-point group.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import mipl
from mipl.methods.catalogue.registry import GROUP, find, methods
from mipl.selection import usual_space

METHOD = '''\
"""Quiet: a method of the tests."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import MarginAttention, inverse_root
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import momentum_update, weighted_log_loss
from mipl.parameters import number, redeclared
from mipl.training.batches import Batch
from mipl.training.state import Clock


class Quiet(GatedClassifier):
    """Attention with a log loss that can be turned down."""

    volume: float = number(
        "What the loss is multiplied by.",
        default=1.0,
        above=0,
        at_most=2,
        search=(0.5, 1.0),
        together="differ",
    )
    width: int = redeclared(default=8)
    dropout: float = redeclared(default=0.0)

    _stacks: ClassVar[bool] = True

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = MarginAttention(
            self._score(width, n_classes),
            standardise="none",
            scale=inverse_root(width),
            detach_spread=False,
        )
        return self._network(encoder, attention, self._head(width, n_classes))

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        return {"log": self.volume * batch.mean(weighted_log_loss(out.log_p, w))}

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
'''
ENTRY = """\
class = "quiet_methods.quiet:Quiet"
family = "mipl"

[reference]
text = "Nobody: Nothing said. 2000."
bibtex = "@misc{nobody2000}"

[[method]]
id = "quiet"
title = "Quiet"
summary = "A log loss that can be turned down."

[[method]]
id = "quiet-half"
title = "Quiet, half"
summary = "At half the volume."
arguments = { volume = 0.5 }

[[published]]
source = "nowhere"
settings = { width = 6, training__epochs = 2 }
sets = [{ data = "synthetic", r = 1 }]
"""
TEST = '''\
"""Quiet: the contracts that every method keeps."""

import pytest

from mipl import method
from mipl.testing import CHECKS

QUICK = {"training__epochs": 6, "training__lr": 0.3, "training__batch_size": 32}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags(check):
    check(method("quiet", **QUICK))
'''
INFO = {
    "METADATA": "Metadata-Version: 2.1\nName: quiet-methods\nVersion: 1.0\n",
    "entry_points.txt": f"[{GROUP}]\nquiet = quiet_methods\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install the three files as pip would; return where they are."""
    home = tmp_path / "site"
    (home / "quiet_methods").mkdir(parents=True)
    (home / "quiet_methods/__init__.py").write_text("")
    (home / "quiet_methods/quiet.py").write_text(METHOD)
    (home / "quiet_methods/quiet.toml").write_text(ENTRY)
    (home / "test_quiet.py").write_text(TEST)
    info = home / "quiet_methods-1.0.dist-info"
    info.mkdir()
    for name, text in INFO.items():
        (info / name).write_text(text)
    monkeypatch.syspath_prepend(home)
    paths = [str(home), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    yield home
    for name in [name for name in sys.modules if name.startswith("quiet_methods")]:
        del sys.modules[name]


def test_the_shared_checks_pass(package):
    quick = mipl.method("quiet", training__epochs=4, training__lr=0.3)
    twice = "bags that are there twice lie in steps twice"
    known = {"check_sample_weight_equivalence_on_dense_data": twice}
    check_estimator(quick, on_skip=None, expected_failed_checks=known)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "test_quiet.py"],
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_it_is_listed_documented_and_searched(package, run):
    assert [row.id for row in methods()][-2:] == ["quiet", "quiet-half"]
    assert "quiet-half" in run("methods").out
    told = run("methods", "quiet-half", "--json").json
    assert told["schema"]["properties"]["volume"] == {
        "description": "What the loss is multiplied by.",
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 2,
        "default": 0.5,
    }
    assert told["schema"]["properties"]["width"]["default"] == 8
    assert "nowhere" in run("methods", "quiet").out
    assert run("methods", "--cite", "quiet").out == "@misc{nobody2000}\n"
    assert usual_space("quiet") == {"volume": [0.5, 1.0]}
    assert usual_space("quiet-half") == {}
    assert (
        "volume : float, default 1.0\n    What the loss" in find("quiet").load().__doc__
    )
    ran = run("fit", "synthetic", "--method", "quiet", "--set", "volme=1", "-o", "x")
    assert ran.code == 2 and "did you mean 'volume'" in ran.err
    with pytest.raises(mipl.MiplError, match=r"volume of Quiet must be .* in \(0, 2\]"):
        mipl.method("quiet", volume=3).check_parameters()


def test_it_is_fitted_saved_and_loaded_from_the_command_line(package, run, tmp_path):
    given = ("--set", "options.n_bags=40", "--published", "--split", 0)
    out = tmp_path / "run"
    ran = run("fit", "synthetic", "--method", "quiet-half", "--out", out, *given)
    assert ran.code == 0, ran.err
    model = mipl.load_model(out / "model")
    assert type(model).__name__ == "Quiet"
    assert (model.volume, model.width, model.n_iter_) == (0.5, 6, 2)
    train, test = mipl.load_dataset("synthetic", n_bags=40).split(0)
    own = mipl.method("quiet-half", published_for="synthetic", random_state=0)
    own.fit(train.bags, train.candidates)
    assert np.array_equal(model.predict_proba(test.bags), own.predict_proba(test.bags))


def test_it_is_computed_in_tables_beside_others(package, run, tmp_path):
    store = ("--store", tmp_path / "results.db")
    grid = ("--data", "synthetic", "--set", "options.n_bags=40", "--epochs", 2)
    both = ("--method", "quiet", "--method", "miplma", "--splits", "0-1")
    ran = run("runs", "compute", *grid, *both, "--workers", 1, *store)
    assert ran.code == 0 and "4 finished" in ran.out, ran.err
    rows = run("runs", "ls", "--json", *store).json
    assert sorted(row["method"] for row in rows) == ["miplma"] * 2 + ["quiet"] * 2
    ran = run("runs", "compare", "quiet", "miplma", *store)
    assert ran.code == 0 and "quiet" in ran.out, ran.err


def test_its_runs_are_fitted_together(package):
    dataset = mipl.load_dataset("synthetic", n_bags=40)
    train, _ = dataset.split(0)
    quick = {"training__epochs": 2, "training__dtype": "float64"}
    models = [mipl.method("quiet", volume=v, **quick) for v in (0.5, 1.5)]
    alone = [mipl.method("quiet", volume=v, **quick) for v in (0.5, 1.5)]
    mipl.fit_together(models, [(train.bags, train.candidates)] * 2)
    for model, one in zip(models, alone, strict=True):
        one.fit(train.bags, train.candidates)
        p = one.predict_proba(train.bags)
        assert np.allclose(model.predict_proba(train.bags), p, rtol=0, atol=1e-9)
