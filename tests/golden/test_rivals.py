"""The rivals reproduce the numbers of their authors' programs."""

from tests.golden.golden import Replayed

from mipl.methods.mipl import demipl, elimipl, fastmipl, miplgp, promipl
from mipl.nn import GatedScore, mixed_effects
from mipl.nn.attention import MarginAttention, SigmoidAttention
from mipl.nn.gp import ClasswiseGP, ExactRegression
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.latent_label import LatentLabel
from mipl.nn.mixed_effects import CoefficientPosterior, StandardHead
from mipl.nn.segments import Segments
from mipl.training.options import Training

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
    ("miplgp", ExactRegression, "evidence"),
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
    ("fastmipl_head", mixed_effects, "standardised"),
    ("fastmipl_head", CoefficientPosterior, "kl"),
    ("fastmipl_head", mixed_effects, "_apply"),
    ("fastmipl_head", StandardHead, "classify"),
]


class TestRivals(Replayed):
    names = (
        "demipl_flat",
        "demipl_image",
        "elimipl_flat",
        "elimipl_image",
        "miplgp",
        "promipl_flat",
        "fastmipl_head",
    )
    altered = ALTERED
    random = ("test_probability_montecarlo512", "test_bag_label_montecarlo")
    fewest = 15
