"""The partial-label methods reproduce the numbers of their authors' programs."""

import numpy as np
from tests.golden.golden import Replayed, load

from mipl.methods.bases import partial_network
from mipl.methods.pll import cavl, cc, lws, pop, proden, rc

ALTERED = [
    ("pll_proden", proden, "weighted_log_loss"),
    ("pll_proden", partial_network, "softmax_on"),
    ("pll_rc_cc", rc, "weighted_log_loss"),
    ("pll_rc_cc", cc, "candidate_log_loss"),
    ("pll_lws", lws, "sigmoid_pair"),
    ("pll_lws", lws, "log_pair"),
    ("pll_lws", lws, "leveraged"),
    ("pll_lws", lws, "on_both_sides"),
    ("pll_cavl", cavl, "activation_values"),
    ("pll_cavl", cavl, "weighted_log_loss"),
    ("pll_pop", pop, "purified"),
    ("pll_pop", pop, "weighted_log_loss"),
]


class TestPartialLabelMethods(Replayed):
    names = ("pll_proden", "pll_rc_cc", "pll_lws", "pll_cavl", "pll_pop")
    altered = ALTERED
    fewest = 4
    noticed = 1e-3

    def changed(self, value):
        """Return something else of the same kind."""
        if isinstance(value, tuple):
            return (-1.5 * value[0], *value[1:])
        return -1.5 * value

    def test_a_replay_gives_what_is_stored_and_no_more(self, name, replays):
        assert set(replays[name]) == set(load(name)[1])


def test_restricted_cavl_differs_only_where_the_program_left_the_candidates():
    inputs, outputs = load("pll_cavl")
    chosen = outputs["selected_is_candidate"].astype(bool)  # (step, row)
    assert not chosen.all() and chosen.any()
    for step, rows in enumerate(inputs["batch_index"]):
        candidates = inputs["candidates"][rows].astype(bool)
        z = inputs["logits_for_update"][step]
        values = np.where(candidates, np.abs(z - 1) * z, -np.inf)
        own = values.argmax(axis=1)
        published = outputs["selected_label"][step]
        np.testing.assert_array_equal(own == published, chosen[step])
