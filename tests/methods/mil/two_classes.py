"""Bags of two classes: positive ones hold an instance that lies elsewhere."""

import numpy as np

from mipl.data.bags import Bags

SIZES = (3, 1, 4, 2)


def problem(m=24, d=3, seed=0, far=3.0):
    """Return bags and labels 0 and 1."""
    rng = np.random.default_rng(seed)
    labels = np.arange(m) % 2
    bags = [rng.normal(size=(SIZES[i // 2 % 4], d)) for i in range(m)]
    for bag, y in zip(bags, labels, strict=True):
        bag[0] += far * y
    return Bags(bags), labels


def begun(method, bags, labels):
    """Return a state of the method as ``fit`` begins it."""
    copies = np.eye(2, dtype=np.int64)[labels]
    method._fit_scaling(bags)
    method._place(method._centres(bags, copies, 0))
    return method._begin(bags, copies, 0)


def dense(method, bags):
    """Return K_zz^-1, the weights A and the unseen variances, by explicit inverses."""
    x, z = method._scaled(bags.instances), method.prior_.points

    def kernel(a, b):
        far = np.square(a[:, None] - b[None]).sum(axis=2)
        return method.variance * np.exp(-far / (2 * method.length_**2))

    jitter = method.jitter * method.variance * np.eye(len(z))
    inverse = np.linalg.inv(kernel(z, z) + jitter)
    a = inverse @ kernel(z, x)  # (M, N)
    return inverse, a, method.variance - (kernel(z, x) * a).sum(axis=0)
