"""Schedules of alpha and tau, as the paper and as the program count epochs."""

import numpy as np
import pytest

from mipl.errors import MiplError
from mipl.nn.attention import falling_tau
from mipl.objectives import falling_alpha, held_alpha


def test_alpha_ends_at_zero_in_the_paper_and_starts_at_one_in_the_program():
    epochs = 100
    paper = [falling_alpha(t, epochs, lag=0) for t in range(1, epochs + 1)]
    program = [falling_alpha(t, epochs, lag=1) for t in range(1, epochs + 1)]
    np.testing.assert_allclose(paper, [(100 - t) / 100 for t in range(1, 101)])
    assert (paper[0], paper[-1]) == (0.99, 0.0)
    assert (program[0], program[-1]) == (1.0, 0.01)
    assert paper[:-1] == program[1:]


@pytest.mark.parametrize(
    ("lag", "least", "floor"), [(1, 0.1, 78), (0, 0.1, 77), (1, 0.5, 46), (0, 0.5, 45)]
)
def test_tau_reaches_its_floor_in_the_published_epoch(lag, least, floor):
    taus = [falling_tau(t, 5.0, least, 0.95, lag) for t in range(1, 101)]
    assert 1 + int(np.argmax(np.array(taus) == least)) == floor
    assert taus[0] == (5.0 if lag else 4.75)


@pytest.mark.parametrize("lag", [0, 1])
def test_tau_follows_its_recursion(lag):
    tau, taus = 5.0, []
    for _ in range(100):
        if lag == 0:
            tau = max(0.1, 0.95 * tau)
        taus.append(tau)
        if lag == 1:
            tau = max(0.1, 0.95 * tau)
    found = [falling_tau(t, 5.0, 0.1, 0.95, lag) for t in range(1, 101)]
    np.testing.assert_allclose(found, taus, rtol=1e-12)


def test_a_constant_temperature_needs_no_special_case():
    assert {falling_tau(t, 1.0, 1.0, 1.0, 1) for t in range(1, 50)} == {1.0}


def test_a_start_below_the_floor_is_refused():
    with pytest.raises(MiplError, match=r"tau 0.05 must not lie below tau_min 0.1"):
        falling_tau(1, 0.05, 0.1, 0.95, 0)


@pytest.mark.parametrize(("epochs", "share"), [(50, 0.2), (7, 0.3), (1, 0.9), (5, 0)])
def test_alpha_is_held_and_then_falls_to_one_step_above_zero(epochs, share):
    found = [held_alpha(t, epochs, share) for t in range(1, epochs + 1)]
    held = int(share * epochs)
    falling = np.linspace(1, 0, epochs - held, endpoint=False)
    np.testing.assert_allclose(found, [1.0] * held + list(falling), atol=1e-15)
