"""The Gaussian-process methods of bags reproduce the numbers of their programs."""

import numpy as np
import pytest
from tests.golden.golden import TOLERANCE, error, load

from mipl.disambiguation import instance_labels
from mipl.disambiguation.instance_labels import InstanceLabels
from mipl.methods.mil import lm_vgpmil, vgpmil, vwsgp
from mipl.methods.mil.lm_vgpmil import LMVGPMIL
from mipl.nn import sparse_gp
from mipl.nn.sparse_gp import Posterior
from mipl.testing import replay

NAMES = ("vgpmil", "lm_vgpmil", "vwsgp")
RANDOM = ("released_after_test_probability_montecarlo", "released_after_test_label")


def results(outputs):
    """Return the names of the stored numbers that do not come from random draws."""
    return [name for name in outputs if name not in RANDOM]


@pytest.fixture(scope="module")
def replays():
    """Replay each file once, from its inputs alone."""
    return {name: replay(name, load(name)[0]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_number_is_reproduced(name, replays):
    _, outputs = load(name)
    for key in results(outputs):
        assert replays[name][key].dtype == np.float64, key
        assert error(replays[name], key, outputs) <= TOLERANCE, key


@pytest.mark.parametrize("name", NAMES)
def test_replay_reads_no_output_and_leaves_the_inputs_alone(name, replays):
    inputs, outputs = load(name)
    spoiled = {key: np.full_like(value, 77) for key, value in outputs.items()}
    again = replay(name, spoiled | inputs)
    for key, value in replays[name].items():
        np.testing.assert_array_equal(again[key], value, err_msg=key)
    fresh, _ = load(name)
    for key, value in inputs.items():
        np.testing.assert_array_equal(value, fresh[key], err_msg=key)


def test_random_draws_of_the_program_agree_roughly(replays):
    _, outputs = load("vwsgp")
    mean = replays["vwsgp"]["released_after_test_mean"]
    variance = replays["vwsgp"]["released_after_test_variance_residual"]
    ours = 1 / (1 + np.exp(-mean / np.sqrt(1 + np.pi / 8 * variance)))
    drawn = outputs["released_after_test_probability_montecarlo"]
    np.testing.assert_allclose(ours, drawn, atol=0.15)


def test_the_lag_repeats_every_second_round(replays):
    m = replays["vwsgp"]["released_after_posterior_mean"]
    free = replays["vwsgp"]["lagfree_after_posterior_mean"]
    np.testing.assert_allclose(m[[1, 3]], m[[2, 4]], atol=1e-12)
    np.testing.assert_allclose(m[[0, 1, 3, 5]], free[:4], atol=1e-12)


def test_the_order_of_the_released_gate_is_an_argument(monkeypatch):
    inputs, outputs = load("lm_vgpmil")
    released = LMVGPMIL.released
    monkeypatch.setattr(
        LMVGPMIL, "released", lambda **a: released(**a, margin_labels="updated")
    )
    found = replay("lm_vgpmil", inputs)
    assert error(found, "after_xi", outputs) > 1000 * TOLERANCE


ALTERED = [
    ("vgpmil", vgpmil, "bound_curvature"),
    ("vgpmil", instance_labels, "largest_other"),
    ("vgpmil", InstanceLabels, "_answers"),
    ("vgpmil", sparse_gp, "gaussian_kernel"),
    ("vgpmil", Posterior, "means"),
    ("vgpmil", Posterior, "variances"),
    ("lm_vgpmil", lm_vgpmil, "bound_curvature"),
    ("lm_vgpmil", lm_vgpmil, "expit"),
    ("lm_vgpmil", instance_labels, "largest_other"),
    ("vwsgp", vwsgp, "bound_curvature"),
    ("vwsgp", sparse_gp, "cho_solve"),
    ("vwsgp", Posterior, "variances"),
]


@pytest.mark.parametrize(("name", "owner", "function"), ALTERED)
def test_an_altered_part_changes_the_numbers(name, owner, function, monkeypatch):
    given = getattr(owner, function)
    monkeypatch.setattr(owner, function, lambda *a, **k: given(*a, **k) * 1.001)
    inputs, outputs = load(name)
    found = replay(name, inputs)
    errors = [error(found, key, outputs) for key in results(outputs)]
    assert max(errors) > 1000 * TOLERANCE
