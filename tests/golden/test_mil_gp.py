"""The Gaussian-process methods of bags reproduce the numbers of their programs."""

import numpy as np
from tests.golden.golden import Replayed, error, load

from mipl.methods.mil import lm_vgpmil, vgpmil, vwsgp
from mipl.methods.mil.lm_vgpmil import LMVGPMIL
from mipl.nn import sparse_gp
from mipl.nn.sparse_gp import InducingPosterior
from mipl.objectives import instance_labels
from mipl.objectives.instance_labels import InstanceLabels
from mipl.testing import replay

ALTERED = [
    ("vgpmil", vgpmil, "bound_curvature"),
    ("vgpmil", instance_labels, "largest_other"),
    ("vgpmil", InstanceLabels, "_answers"),
    ("vgpmil", sparse_gp, "gaussian_kernel"),
    ("vgpmil", InducingPosterior, "means"),
    ("vgpmil", InducingPosterior, "variances"),
    ("lm_vgpmil", lm_vgpmil, "bound_curvature"),
    ("lm_vgpmil", lm_vgpmil, "expit"),
    ("lm_vgpmil", instance_labels, "largest_other"),
    ("vwsgp", vwsgp, "bound_curvature"),
    ("vwsgp", sparse_gp, "cho_solve"),
    ("vwsgp", InducingPosterior, "variances"),
]


class TestGaussianProcesses(Replayed):
    names = ("vgpmil", "lm_vgpmil", "vwsgp")
    altered = ALTERED
    random = ("released_after_test_probability_montecarlo", "released_after_test_label")
    fewest = 9

    def test_random_draws_of_the_program_agree_roughly(self, replays):
        _, outputs = load("vwsgp")
        mean = replays["vwsgp"]["released_after_test_mean"]
        variance = replays["vwsgp"]["released_after_test_variance_residual"]
        ours = 1 / (1 + np.exp(-mean / np.sqrt(1 + np.pi / 8 * variance)))
        drawn = outputs["released_after_test_probability_montecarlo"]
        np.testing.assert_allclose(ours, drawn, atol=0.15)

    def test_the_lag_repeats_every_second_round(self, replays):
        m = replays["vwsgp"]["released_after_posterior_mean"]
        free = replays["vwsgp"]["lagfree_after_posterior_mean"]
        np.testing.assert_allclose(m[[1, 3]], m[[2, 4]], atol=1e-12)
        np.testing.assert_allclose(m[[0, 1, 3, 5]], free[:4], atol=1e-12)

    def test_the_order_of_the_released_gate_is_an_argument(self, monkeypatch):
        inputs, outputs = load("lm_vgpmil")
        released = LMVGPMIL.released
        monkeypatch.setattr(
            LMVGPMIL, "released", lambda **a: released(**a, margin_labels="updated")
        )
        found = replay("lm_vgpmil", inputs)
        assert error(found, "after_xi", outputs) > self.noticed
