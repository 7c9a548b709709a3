"""LossAttention: instances weighed by the evidence they give (AAAI 2020)."""

from __future__ import annotations

from torch import Tensor, nn

from mipl.methods.bases.repeated import RepeatedClassifier, one_bag_adam
from mipl.nn.attention import EvidenceScore, MarginAttention
from mipl.nn.encoders import Standardise
from mipl.nn.heads import SoftmaxHead
from mipl.nn.instance_network import InstanceNetwork, InstanceOutput
from mipl.objectives import copies, weighted_log_loss
from mipl.parameters import choice, number
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class LossAttention(RepeatedClassifier):
    """Loss-based attention for deep multi-instance learning.

    One affine map judges bags and instances alike, and the weight of an instance is its
    share of the evidence that the map sees in the bag, for whatever class. Instances
    learn the label of their bag as far as they have weight; unlike ``ABMIL`` there is
    no attention to learn.

    ::

        z_j   = W h_j + b,   a = softmax_j( log sum_c exp(z_jc) )
        z     = W (sum_j a_j h_j) + b  =  sum_j a_j z_j
        loss  = - sum_{c in S} [ log softmax(z)_c + lam sum_j a_j log softmax(z_j)_c ]

    The gradient goes through a in both terms. With a set of one label, the loss is the
    publication's; of several labels, each is assigned in turn and the losses of these
    copies of a bag add up. Its third term, a consistency over epochs with weight 0 in
    all multi-instance experiments, is left out.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> steps = Training(epochs=20, optimiser="adam", lr=0.01)
    >>> model = LossAttention(training=steps).fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Shi, Xing, Xie, Zhang, Cui, Yang: Loss-based attention for deep multiple instance
    learning. AAAI 2020.
    """

    lam: float = number(
        "Weight of the instances' loss; 2 on the authors' images, 0.1 on the classical "
        "data sets.",
        default=2.0,
        at_least=0,
        together="differ",
    )
    instance_reduction: str = choice(
        "Whether that loss is summed over the instances of a bag, as the paper writes, "
        "or averaged, as the program does.",
        ("sum", "mean"),
        default="sum",
    )

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> InstanceNetwork:
        head = SoftmaxHead(width, n_classes)
        attention = MarginAttention(
            EvidenceScore(head.classifier),
            standardise="none",
            scale=1.0,
            detach_spread=False,
        )
        return InstanceNetwork(
            Standardise(self.n_features_in_), encoder, attention, head
        )

    def _loss(  # type: ignore[override]
        self, out: InstanceOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        targets = copies(w, batch.candidates)  # (B, k)
        of_bags = weighted_log_loss(out.log_p, targets)  # (B,)
        of_instances = self._of_instances(out, batch, targets)  # (B,)
        return {
            "bags": batch.mean(of_bags),
            "instances": self.lam * batch.mean(of_instances),
        }

    def _of_instances(
        self, out: InstanceOutput, batch: Batch, targets: Tensor
    ) -> Tensor:
        """Return the loss of each bag's instances, (B,)."""
        inherited = batch.per_instance(targets)  # (N, k)
        each = out.a * weighted_log_loss(out.instance_log_p, inherited)  # (N,)
        if self.instance_reduction == "mean":
            each = each / batch.segments.spread(batch.segments.sizes)
        return batch.per_bag(each)

    def _default_training(self) -> Training:
        return one_bag_adam(epochs=50)
