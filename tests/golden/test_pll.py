"""The partial-label methods reproduce the numbers of their authors' programs."""

import numpy as np
import pytest
from tests.golden.golden import TOLERANCE, error, load

from mipl.methods import partial_network
from mipl.methods.pll import cavl, cc, lws, pop, proden, rc
from mipl.testing import replay

NAMES = ("pll_proden", "pll_rc_cc", "pll_lws", "pll_cavl", "pll_pop")


@pytest.fixture(scope="module")
def replays():
    """Replay each file once, from its inputs alone."""
    return {name: replay(name, load(name)[0]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_number_is_reproduced(name, replays):
    _, outputs = load(name)
    assert set(replays[name]) == set(outputs)
    for key in outputs:
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


@pytest.mark.parametrize(
    ("name", "home", "part"),
    [
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
    ],
)
def test_an_altered_part_alters_the_replay(name, home, part, replays, monkeypatch):
    """What a replay computes comes from what fit uses."""
    whole = getattr(home, part)
    monkeypatch.setattr(home, part, lambda *given: _altered(whole(*given)))
    again = replay(name, load(name)[0])
    gaps = [np.abs(again[k] - v).max() for k, v in replays[name].items()]
    assert max(gaps) > 1e-3


def _altered(value):
    """Return something else of the same kind."""
    if isinstance(value, tuple):
        return (-1.5 * value[0], *value[1:])
    return -1.5 * value


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
