"""The multi-instance methods reproduce the numbers of their authors' programs."""

from tests.golden.golden import Replayed

from mipl.methods.bases import repeated
from mipl.methods.mil import loss_attention, mivae
from mipl.nn import GatedScore, vae
from mipl.nn.attention import EvidenceScore, MarginAttention, PlainScore
from mipl.nn.heads import SigmoidHead, SoftmaxHead
from mipl.nn.segments import Segments
from mipl.nn.vae import ImageDecoder
from mipl.training.options import Training

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


class TestMultiInstanceMethods(Replayed):
    names = (
        "abmil_flat",
        "abmil_image",
        "lossatt_flat",
        "lossatt_image",
        "mivae_small",
    )
    altered = ALTERED
    fewest = 18
