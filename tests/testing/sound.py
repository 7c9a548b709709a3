"""A small method without torch that keeps the whole contract, and what others break."""

import numpy as np

from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.methods.bases.fitted_network import scaled_attention
from mipl.seeds import as_seed, stream


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Sound(BagClassifier):
    """Nearest class mean of attention-weighted bags, with moving label weights."""

    def __init__(self, jitter=0.01, random_state=None):
        self.jitter = jitter
        self.random_state = random_state

    def _fit(self, bags, candidates):
        rows = bags.instances.astype(float)
        spread = rows.std(axis=0)
        self.mean_, self.scale_ = rows.mean(axis=0), np.where(spread > 0, spread, 1)
        z, w = self._vectors(bags), candidates.initial_weights()
        self.history_ = []
        for epoch in range(3):
            self.centres_ = w.T @ z / np.maximum(w.sum(axis=0), 1e-9)[:, None]
            p = np.where(candidates.matrix, self._classify(z), 1e-12)
            p = np.where(candidates.matrix, p, 0)
            w = p / p.sum(axis=1, keepdims=True)
            self.history_.append({"epoch": epoch, "loss": float(-np.log(p.max()))})
        self.label_weights_ = w
        noise = stream(as_seed(self.random_state), "jitter")
        self.centres_ += self.jitter * noise.standard_normal(self.centres_.shape)

    def _classify(self, z):
        gaps = ((z[:, None] - self.centres_) ** 2).sum(axis=2)
        return softmax(-gaps)

    def _scaled(self, bag):
        return (bag.astype(float) - self.mean_) / self.scale_

    def _weights(self, bag):
        return softmax((self._scaled(bag) ** 2).sum(axis=1) / 4)

    def _vectors(self, bags):
        return np.stack([self._weights(bag) @ self._scaled(bag) for bag in bags])

    def _proba(self, bags):
        return self._classify(self._vectors(bags))

    def attend(self, X, scale="raw"):
        bags = self._as_bags(X)
        a = np.concatenate([self._weights(bag) for bag in bags])
        return scaled_attention(a, bags.offsets, scale)

    def predict_instances(self, X):
        return self._classify(self._scaled(self._as_bags(X).instances))

    def transform(self, X):
        return self._vectors(self._as_bags(X))

    def _state(self):
        arrays, facts = super()._state()
        arrays |= {name: getattr(self, f"{name}_") for name in _LEARNT}
        return arrays, facts

    def _restore(self, stored):
        super()._restore(stored)
        d, k = self.n_features_in_, len(self.classes_)
        for name, shape in zip(_LEARNT, ((d,), (d,), (k, d)), strict=True):
            setattr(self, f"{name}_", stored.array(name, shape, np.float64))


_LEARNT = ("mean", "scale", "centres")


class Plain(BagClassifier):
    """Equal probabilities: it learns nothing, and has nothing beyond the contract."""

    def _fit(self, bags, candidates):
        pass

    def _proba(self, bags):
        k = len(self.classes_)
        return np.full((len(bags), k), 1 / k)


def blurred(p):
    """Probabilities that are proper, and others."""
    return 0.5 * p + 0.5 / p.shape[1]


def refused(*_, **__):
    raise MiplError("this is refused.")
