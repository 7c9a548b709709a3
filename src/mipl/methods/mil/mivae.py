"""MIVAE: a variational auto-encoder of bags and their instances (IJCAI 2021)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from mipl.methods.bases.base import Floats
from mipl.methods.bases.fitted_network import EmbeddingNetwork
from mipl.methods.bases.neural import NeuralClassifier
from mipl.methods.bases.repeated import need_two_classes, one_bag_adam
from mipl.nn.encoders import Standardise
from mipl.nn.vae import (
    LabelPrior,
    LatentClassifier,
    VariationalNetwork,
    VariationalOutput,
    latent_layers,
)
from mipl.objectives import copies, log_density, standard_kl, weighted_log_loss
from mipl.parameters import choice, integer, number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.prediction import joined
from mipl.training.state import Clock


class MIVAE(EmbeddingNetwork, NeuralClassifier):
    """Multi-instance learning with a variational auto-encoder.

    Instances of a bag depend on each other: what they share is a latent variable of the
    bag, with a prior that its label gives, and what is their own one of each. A decoder
    explains instances by both, and a classifier judges them by both; the best instance
    speaks for its bag.

    ::

        q(z_I | x) = N(mu_I(x), v_I(x)),   q(z_B | bag) = N(mean_j mu_B, mean_j v_B)
        logit      = max_j f([z_I, z_B]),  p(z_B | y)  = N(mu(y), v(y))
        loss       = |x - g([z_I, z_B])|^2  +  instance_kl * KL(q(z_I) || N(0, 1))
                     + bag_kl * log q(z_B) / p(z_B | y)  -  label_weight * log p_y

    All terms are means over numbers, instances or bags, and the sum is divided by
    label_weight. Predictions take the means of latent variables, and no dropout; the
    authors' program leaves dropout on. Of several candidates, each is assigned in turn
    and the losses of these copies of a bag add up, with the same draws.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=0).split(0)
    >>> steps = Training(epochs=20, optimiser="adamw", lr=0.005)
    >>> model = MIVAE(latent=8, width=64, training=steps)
    >>> model = model.fit(train.bags, train.labels)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Zhang: Non-i.i.d. multi-instance learning for predicting instance and bag labels
    with variational auto-encoder. IJCAI 2021.
    """

    latent: int = integer(
        "Number of latent variables of an instance.", default=64, at_least=1
    )
    instance_kl: float = number(
        "Weight of the divergence of the instances' latent variables.",
        default=1.0,
        at_least=0,
    )
    bag_kl: float = number(
        "Weight of the divergence of the bags' latent variables.",
        default=1.0,
        at_least=0,
    )
    label_weight: float = number(
        "Weight of the classifier's loss.", default=1e4, at_least=1e-6
    )
    width: int = integer("Of the hidden layers.", default=512, at_least=1)
    decoder_width: int = integer(
        "Of the decoder's first layer, for images.", default=200, at_least=1
    )
    encoder: str = choice(
        '"auto" takes two convolutions for 28x28 images and the published 27x27 '
        "patches of three colours, and two hidden layers otherwise.",
        ("auto", "mlp"),
        default="auto",
    )
    dropout: float = number(
        "Share of the classifier's hidden layers dropped in training.",
        default=0.5,
        at_least=0,
        at_most=0.95,
    )
    scaling: str = redeclared(
        default="auto",
        about='Whether features are standardised with the training instances; "auto" '
        "leaves images as they are. What is reconstructed are the scaled features.",
    )
    head: str = choice(
        "One output per class; or the publication's, one for two classes.",
        ("softmax", "sigmoid"),
        default="softmax",
    )
    bag_latent: int | None = integer(
        "Number of latent variables of a bag; None is as many as of an instance, as "
        "published.",
        default=None,
        at_least=1,
    )
    training: Training | None = redeclared(
        default=None, about="By default AdamW with 100 bags per step, as published."
    )

    def _new_module(self, n_classes: int) -> VariationalNetwork:
        sigmoid = self.head == "sigmoid"
        if sigmoid:
            need_two_classes("MIVAE", n_classes)
        shape = self.instance_shape_ if self.encoder == "auto" else None
        latent = self.latent, self.bag_latent or self.latent
        encoder, decoder = latent_layers(
            self.n_features_in_, shape, latent, self.width, self.decoder_width
        )
        classifier = LatentClassifier(
            sum(latent), self.width, n_classes, self.dropout, one_logit=sigmoid
        )
        return VariationalNetwork(
            Standardise(self.n_features_in_),
            encoder,
            classifier,
            decoder,
            LabelPrior(n_classes, self.width, latent[1]),
        )

    def _loss(
        self, out: VariationalOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        terms = self._terms(out, batch, w)
        return {name: term / self.label_weight for name, term in terms.items()}

    def _terms(
        self, out: VariationalOutput, batch: Batch, w: Tensor
    ) -> dict[str, Tensor]:
        """Return the terms of the loss, before they are divided."""
        targets = copies(w, batch.candidates)  # (B, k)
        times = batch.segments.spread(targets.sum(dim=1))  # (N,)
        own = standard_kl(out.instance_mean, out.instance_logvar)  # (N,)
        posterior = log_density(out.z, out.bag_mean, out.bag_logvar)  # (B,)
        prior = log_density(out.z.unsqueeze(1), *out.label_prior.of_each_class())
        shared = targets * (posterior.unsqueeze(1) - prior)  # (B, k)
        wrong = weighted_log_loss(out.log_p, targets)  # (B,)
        return {
            "reconstruction": batch.mean_of_instances(times * out.error),
            "instance_kl": self.instance_kl * batch.mean_of_instances(times * own),
            "bag_kl": self.bag_kl * batch.mean(shared.sum(dim=1)),
            "classification": self.label_weight * batch.mean(wrong),
        }

    def _default_training(self) -> Training:
        return one_bag_adam(
            epochs=100, optimiser="adamw", weight_decay=5e-4, batch_size=100
        )

    # -- predictions -----------------------------------------------------------------

    def _log_p_of(self, seen: Any) -> Tensor:
        """Return what the best instance of each bag says of it, (B, k)."""
        best = seen.segments.max(_judged(seen))
        return cast("VariationalNetwork", seen.module).head.log_p(best)

    def _instance_log_p_of(self, seen: Any) -> Tensor:
        return cast("VariationalNetwork", seen.module).head.log_p(_judged(seen))

    def predict_instances(self, X: Any) -> Floats:
        """Return the probability of each class for each instance in its bag, (N, k)."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        log_p = self._collect(bags, self._instance_log_p_of, bags.n_instances)
        return log_p.exp_().numpy()


def _judged(output: Any) -> Tensor:
    """Return the logits of all instances of some bags, (N, k); (N, 1) of one logit."""
    module = cast("VariationalNetwork", output.module)

    def parts() -> Iterator[Tensor]:
        bag, start = output.segments.bag, 0
        for h in output.chunks():
            stop = start + h.shape[0]
            yield module.judge(h, output.z.index_select(0, bag[start:stop]))
            start = stop

    return joined(parts(), output.n_instances)
