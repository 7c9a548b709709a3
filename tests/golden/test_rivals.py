"""The rivals reproduce the numbers of their authors' programs."""

from tests.golden.golden import Replayed

from mipl.methods.mipl import (
    agopmipl,
    demipl,
    elimipl,
    fastmipl,
    hfcmipl,
    miplgp,
    promipl,
)
from mipl.nn import (
    GatedScore,
    class_scores,
    filtered_network,
    mixed_effects,
    prototypes,
)
from mipl.nn.attention import MarginAttention, SigmoidAttention
from mipl.nn.gp import ClasswiseGP, ExactRegression
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.latent_label import LatentLabel
from mipl.nn.mixed_effects import CoefficientPosterior, StandardHead
from mipl.nn.prototype_network import ClassVectors, PrototypeScore
from mipl.nn.prototypes import Metric
from mipl.nn.reliability import Reliability
from mipl.nn.segments import Segments
from mipl.training.options import Training

ALTERED = [
    ("agopmipl_flat", agopmipl, "weighted_log_loss"),
    ("agopmipl_flat", agopmipl, "candidate_entropy"),
    ("agopmipl_flat", agopmipl, "inhibition_loss"),
    ("agopmipl_flat", agopmipl, "momentum_update"),
    ("agopmipl_flat", agopmipl, "held_alpha"),
    ("agopmipl_flat", agopmipl, "outer_product"),
    ("agopmipl_flat", prototypes, "metric_root"),
    ("agopmipl_flat", Metric, "forward"),
    ("agopmipl_flat", ClassVectors, "forward"),
    ("agopmipl_flat", ClassVectors, "shifted"),
    ("agopmipl_flat", PrototypeScore, "forward"),
    ("agopmipl_flat", Training, "learning_rate"),
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
    ("hfcmipl_flat", hfcmipl, "weighted_log_loss"),
    ("hfcmipl_flat", hfcmipl, "attention_entropy"),
    ("hfcmipl_flat", hfcmipl, "focusing_entropy"),
    ("hfcmipl_flat", hfcmipl, "candidate_mass"),
    ("hfcmipl_flat", hfcmipl, "on_candidates"),
    ("hfcmipl_flat", hfcmipl, "momentum_update"),
    ("hfcmipl_flat", hfcmipl, "bag_graph"),
    ("hfcmipl_flat", hfcmipl, "propagated_labels"),
    ("hfcmipl_flat", filtered_network, "passed"),
    ("hfcmipl_flat", SigmoidAttention, "weigh"),
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
    ("fastmipl_head", class_scores, "product"),
    ("fastmipl_head", StandardHead, "classify"),
    ("uamipl_flat", fastmipl, "linear_objective"),
    ("uamipl_flat", fastmipl, "confidence_update"),
    ("uamipl_flat", fastmipl, "falling_alpha"),
    ("uamipl_flat", fastmipl, "descended_logistic"),
    ("uamipl_flat", class_scores, "product"),
    ("uamipl_flat", mixed_effects, "standardised"),
    ("uamipl_flat", CoefficientPosterior, "kl"),
    ("uamipl_flat", Reliability, "forward"),
    ("uamipl_flat", Segments, "softmax"),
]


class TestRivals(Replayed):
    names = (
        "agopmipl_flat",
        "agopmipl_image",
        "demipl_flat",
        "demipl_image",
        "elimipl_flat",
        "elimipl_image",
        "hfcmipl_flat",
        "miplgp",
        "promipl_flat",
        "fastmipl_head",
        "uamipl_flat",
    )
    altered = ALTERED
    random = ("test_probability_montecarlo512", "test_bag_label_montecarlo")
    fewest = 15

    def changed(self, value):
        """Also of a part that gives several arrays."""
        if isinstance(value, tuple):
            return tuple(each * 1.001 for each in value)
        return super().changed(value)
