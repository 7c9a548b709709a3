"""Runs killed at random moments, some as they save, end with the same bits."""

import pytest
from tests.crash.runs import Rig, fit

CASES = {
    "ours": {"training": {}},
    "margins of the whole epoch": {"margin": "epoch", "training": {}},
    "early stopping": {
        "training": {"stop_on": "margin_violation_rate", "patience": 15, "holdout": 0.3}
    },
    "recorded bags": {"training": {"record_bags": (0, 7), "instances_per_bag": 2}},
}
# How long after a save a kill may come; an epoch takes about 25 ms.
SECONDS = 0.02


def killed(folder, name, seed, times):
    """Kill a run so many times, every second time as it saves; then let it end."""
    rig = Rig(folder, CASES[name], seed)
    for turn in range(times):
        rig.run(SECONDS, aimed=turn % 2 == 0)
    assert rig.finish() == fit(None, CASES[name])
    return rig


@pytest.mark.parametrize("name", ["ours", "early stopping"])
def test_a_run_that_was_killed_ends_with_the_same_bits(name, tmp_path):
    assert killed(tmp_path, name, seed=0, times=4).kills >= 3  # A run saves 20 times.


@pytest.mark.slow
def test_many_kills_leave_no_trace(tmp_path):
    kills = while_saving = 0
    for seed in range(6):
        for name in CASES:
            folder = tmp_path / f"{seed} {name}"
            folder.mkdir()
            rig = killed(folder, name, seed, times=5)
            kills, while_saving = kills + rig.kills, while_saving + rig.while_saving
    print(f"{kills} kills, {while_saving} of them while saving; no difference")
    assert kills >= 30 and while_saving >= 5
