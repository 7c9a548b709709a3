"""The rivals reproduce the numbers of their authors' programs."""

import numpy as np
import pytest
from tests.golden.golden import TOLERANCE, error, load

from mipl.methods.mipl import demipl, elimipl, fastmipl, miplgp, promipl
from mipl.nn import GatedScore, mixed
from mipl.nn.attention import MarginAttention, SigmoidAttention
from mipl.nn.gp import ClasswiseGP, Exact
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.latent import LatentLabel
from mipl.nn.mixed import Posterior, StandardHead
from mipl.nn.segments import Segments
from mipl.testing import replay
from mipl.training.options import Training

NAMES = (
    "demipl_flat",
    "demipl_image",
    "elimipl_flat",
    "elimipl_image",
    "miplgp",
    "promipl_flat",
    "fastmipl_head",
)
RANDOM = "montecarlo"


def results(outputs):
    """Return the names of the stored numbers that a replay must give."""
    return [k for k in outputs if not k.startswith("probe_index_") and RANDOM not in k]


@pytest.fixture(scope="module")
def replays():
    """Replay each file once, from its inputs alone."""
    return {name: replay(name, load(name)[0]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_number_is_reproduced(name, replays):
    _, outputs = load(name)
    errors = {key: error(replays[name], key, outputs) for key in results(outputs)}
    assert len(errors) > 9
    assert max(errors.values()) <= TOLERANCE, max(errors, key=errors.get)


@pytest.mark.parametrize("name", NAMES)
def test_every_array_is_float64_and_whole(name, replays):
    for key, value in replays[name].items():
        assert value.dtype == np.float64, key
        assert not key.endswith(("_probe", "_sumsq")), key


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


ALTERED = [
    ("demipl_flat", demipl, "weighted_log_loss"),
    ("demipl_flat", demipl, "attention_entropy"),
    ("demipl_flat", demipl, "momentum_update"),
    ("demipl_flat", SigmoidAttention, "weigh"),
    ("demipl_flat", SigmoidAttention, "opened"),
    ("demipl_flat", GatedScore, "forward"),
    ("elimipl_flat", elimipl, "weighted_log_loss"),
    ("elimipl_flat", elimipl, "candidate_mass"),
    ("elimipl_flat", elimipl, "inhibition_loss"),
    ("elimipl_flat", elimipl, "momentum_update"),
    ("elimipl_flat", elimipl, "inverse_root"),
    ("elimipl_flat", MarginAttention, "weigh"),
    ("elimipl_flat", GatedScore, "forward"),
    ("elimipl_flat", Segments, "softmax"),
    ("elimipl_flat", SigmoidSoftmaxHead, "forward"),
    ("elimipl_flat", Training, "learning_rate"),
    ("miplgp", miplgp, "tied"),
    ("miplgp", miplgp, "softmax_on"),
    ("miplgp", Exact, "evidence"),
    ("miplgp", ClasswiseGP, "between"),
    ("miplgp", Training, "learning_rate"),
    ("promipl_flat", promipl, "weighted_log_loss"),
    ("promipl_flat", promipl, "bernoulli_entropy"),
    ("promipl_flat", promipl, "inverse_root"),
    ("promipl_flat", LatentLabel, "infer"),
    ("promipl_flat", LatentLabel, "sample"),
    ("promipl_flat", LatentLabel, "generate"),
    ("promipl_flat", MarginAttention, "weigh"),
    ("fastmipl_head", fastmipl, "linear_objective"),
    ("fastmipl_head", fastmipl, "confidence_update"),
    ("fastmipl_head", fastmipl, "standardised"),
    ("fastmipl_head", mixed, "standardised"),
    ("fastmipl_head", Posterior, "kl"),
    ("fastmipl_head", mixed, "_apply"),
    ("fastmipl_head", StandardHead, "classify"),
]


@pytest.mark.parametrize(("name", "owner", "function"), ALTERED)
def test_an_altered_part_changes_the_numbers(name, owner, function, monkeypatch):
    given = getattr(owner, function)
    monkeypatch.setattr(owner, function, lambda *a, **k: given(*a, **k) * 1.001)
    inputs, outputs = load(name)
    found = replay(name, inputs)
    errors = [error(found, k, outputs) for k in results(outputs) if k in found]
    assert max(errors) > 1000 * TOLERANCE
