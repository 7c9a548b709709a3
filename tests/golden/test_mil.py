"""The multi-instance methods reproduce the numbers of their authors' programs."""

import numpy as np
import pytest
from tests.golden.golden import TOLERANCE, error, load

from mipl.methods import repeated
from mipl.methods.mil import loss_attention, mivae
from mipl.nn import GatedScore, vae
from mipl.nn.attention import MarginAttention
from mipl.nn.heads import SigmoidHead, SoftmaxHead
from mipl.nn.scores import EvidenceScore, PlainScore
from mipl.nn.segments import Segments
from mipl.nn.vae_layers import ImageDecoder
from mipl.testing import replay
from mipl.training.options import Training

NAMES = ("abmil_flat", "abmil_image", "lossatt_flat", "lossatt_image", "mivae_small")


def results(outputs):
    """Return the names of the stored numbers that a replay must give."""
    return [key for key in outputs if not key.startswith("probe_index_")]


@pytest.fixture(scope="module")
def replays():
    """Replay each file once, from its inputs alone."""
    return {name: replay(name, load(name)[0]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_number_is_reproduced(name, replays):
    _, outputs = load(name)
    errors = {key: error(replays[name], key, outputs) for key in results(outputs)}
    assert len(errors) > 15
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
    ("abmil_flat", repeated, "weighted_log_loss"),
    ("abmil_flat", repeated, "copies"),
    ("abmil_flat", PlainScore, "forward"),
    ("abmil_flat", GatedScore, "forward"),
    ("abmil_flat", MarginAttention, "weigh"),
    ("abmil_flat", SigmoidHead, "forward"),
    ("abmil_flat", Training, "learning_rate"),
    ("lossatt_flat", loss_attention, "weighted_log_loss"),
    ("lossatt_flat", loss_attention, "copies"),
    ("lossatt_flat", loss_attention.LossAttention, "_of_instances"),
    ("lossatt_flat", EvidenceScore, "forward"),
    ("lossatt_flat", SoftmaxHead, "forward"),
    ("lossatt_flat", Segments, "softmax"),
    ("mivae_small", mivae, "weighted_log_loss"),
    ("mivae_small", mivae, "log_density"),
    ("mivae_small", mivae, "standard_kl"),
    ("mivae_small", vae, "sampled"),
    ("mivae_small", ImageDecoder, "forward"),
    ("mivae_small", Segments, "peak"),
]


@pytest.mark.parametrize(("name", "owner", "function"), ALTERED)
def test_an_altered_part_changes_the_numbers(name, owner, function, monkeypatch):
    given = getattr(owner, function)
    monkeypatch.setattr(owner, function, lambda *a, **k: given(*a, **k) * 1.001)
    inputs, outputs = load(name)
    found = replay(name, inputs)
    errors = [error(found, k, outputs) for k in results(outputs) if k in found]
    assert max(errors) > 1000 * TOLERANCE
