"""MIPLMA reproduces the numbers of the authors' program, and of the paper."""

import numpy as np
import pytest
from tests.golden.golden import Replayed, load

from mipl.errors import MiplError
from mipl.methods.mipl import miplma
from mipl.methods.mipl.miplma import MIPLMA
from mipl.nn import GatedScore
from mipl.nn.attention import MarginAttention
from mipl.nn.heads import SigmoidSoftmaxHead, SoftmaxHead
from mipl.nn.segments import Segments
from mipl.testing import replay
from mipl.training.options import Training

ALTERED = [
    ("miplma_flat", miplma, "weighted_log_loss"),
    ("miplma_flat", miplma, "single_bag_margin_loss"),
    ("miplma_flat", miplma, "margin_violation"),
    ("miplma_flat", miplma, "momentum_update"),
    ("miplma_flat", miplma, "falling_tau"),
    ("miplma_flat", miplma, "falling_alpha"),
    ("miplma_flat", Segments, "softmax"),
    ("miplma_flat", Segments, "std"),
    ("miplma_flat", Segments, "sum"),
    ("miplma_flat", GatedScore, "forward"),
    ("miplma_flat", MarginAttention, "weigh"),
    ("miplma_flat", SigmoidSoftmaxHead, "forward"),
    ("miplma_flat", Training, "learning_rate"),
    ("miplma_paper", miplma, "weighted_log_loss"),
    ("miplma_paper", miplma, "margin_distribution_loss"),
    ("miplma_paper", miplma, "margin_violation"),
    ("miplma_paper", miplma, "momentum_update"),
    ("miplma_paper", Segments, "softmax"),
    ("miplma_paper", MarginAttention, "weigh"),
    ("miplma_paper", SoftmaxHead, "forward"),
]

# The table of the golden files' text: what changes if one detail is done differently.
# Step loss, final label weights, final parameters, test probabilities.
VARIANTS = {
    "plain momentum": ({"training__nesterov": False}, (2e-2, 4e-3, 7e-3, 4e-3)),
    "constant rate": ({"training__schedule": "constant"}, (4e-2, 2e-2, 5e-2, 3e-2)),
    "alpha shifted": ({"alpha_lag": 0}, (2e-2, 3e-2, 3e-3, 2e-3)),
    "tau before the epoch": ({"tau_lag": 0}, (5e-5, 3e-5, 1e-3, 3e-5)),
    "weights first": ({"update_first": True}, (2e-2, 2e-3, 3e-3, 2e-3)),
    "spread with gradient": ({"detach_spread": False}, (2e-4, 7e-4, 2e-3, 2e-5)),
}


class TestMIPLMA(Replayed):
    names = ("miplma_flat", "miplma_flat512", "miplma_image", "miplma_paper")
    altered = ALTERED
    fewest = 44

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_each_detail_matters_as_much_as_published(
        self, variant, replays, monkeypatch
    ):
        arguments, published = VARIANTS[variant]
        released = MIPLMA.released.__func__

        def differently(cls, **given):
            return released(cls, **given).set_params(**arguments)

        monkeypatch.setattr(MIPLMA, "released", classmethod(differently))
        found = replay("miplma_flat", load("miplma_flat")[0])
        given = replays["miplma_flat"]

        def gap(key, part=slice(None)):
            return np.abs(found[key][part] - given[key][part]).max()

        gaps = (
            gap("train_step_loss"),
            gap("train_label_weights_per_epoch", -1),
            max(gap(key) for key in given if key.startswith("final_")),
            gap("test_probabilities_final"),
        )
        np.testing.assert_allclose(gaps, published, rtol=0.4)


def test_an_unknown_file_is_refused():
    with pytest.raises(MiplError, match="did you mean 'miplma_flat'"):
        replay("miplma_flt", {})
