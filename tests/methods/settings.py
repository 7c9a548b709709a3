"""Small settings of every registered method, so that contract tests stay quick."""

from mipl.methods.catalogue.registry import method, methods

_SMALL_NETWORK = {
    "width": 8,
    "dropout": 0.0,
    "training__epochs": 6,
    "training__lr": 0.3,
    "training__batch_size": 32,
}

_SMALL_ADAM = _SMALL_NETWORK | {"training__lr": 0.03}

SMALL = {
    "miplma": _SMALL_NETWORK,
    "miplma-released": _SMALL_NETWORK,
    "miplma-paper": _SMALL_NETWORK,
    "miplma-mains": _SMALL_NETWORK,
    "miplma-malab": _SMALL_NETWORK,
    "miplma-woma": _SMALL_NETWORK,
    "miplma-mamm": _SMALL_NETWORK,
    "demipl": _SMALL_NETWORK,
    "elimipl": _SMALL_NETWORK,
    # Exact for the smallest problems of the checks, sparse for the others.
    "miplgp": {
        "draws": 16,
        "inducing": 10,
        "exact_up_to": 30,
        "training__epochs": 5,
    },
    "promipl": _SMALL_NETWORK,
    "fastmipl": _SMALL_NETWORK | {"samples": 3, "training__lr": 0.02},
    "cdl": _SMALL_NETWORK,
    "mean-pooling": {},
    "abmil": _SMALL_ADAM | {"attention_width": 6},
    "abmil-gated": _SMALL_ADAM | {"attention_width": 6},
    "loss-attention": _SMALL_ADAM,
    "maam": _SMALL_NETWORK,
    "mivae": _SMALL_ADAM | {"latent": 3},
}

_SMALL_LAYERS = {
    "backbone": "linear",
    "width": (16, 8),
    "training__epochs": 8,
    "training__lr": 0.3,
    "training__batch_size": 32,
}

# Methods of vectors, which learn from bags inside Degraded.
SMALL_PARTIAL = {
    "proden": _SMALL_LAYERS,
    "proden-ma": _SMALL_LAYERS | {"backbone": "mlp"},
    "rc": _SMALL_LAYERS | {"backbone": "mlp"},
    "cc": _SMALL_LAYERS,
    "lws": _SMALL_LAYERS,
    "cavl": _SMALL_LAYERS,
    # It purifies, and both drops candidates and raises the threshold.
    "pop": _SMALL_LAYERS | {"theta": 0.05, "increment": 0.5, "window": 2, "warm_up": 4},
    "pl-aggd": {"k": 2, "max_iter": 1},
    "pl-svm": {"n_init": 2, "max_iter": 20},
    "m3pl": {"c_max": 1.0, "growth": 20.0},
}

_SMALL_PROCESS = {"inducing": 10, "iterations": 4}

# Methods of two classes, which learn more inside OneVsRest.
SMALL_TWO_CLASS = {
    "vwsgp": _SMALL_PROCESS,
    "vgpmil": _SMALL_PROCESS,
    "lm-vgpmil": _SMALL_PROCESS,
}


def small(id, **more):
    """Build a method with its small settings."""
    return method(id, **{**SMALL, **SMALL_PARTIAL, **SMALL_TWO_CLASS}[id], **more)


def own_ids():
    """Return the ids of this library's methods."""
    return [row.id for row in methods() if row.path.startswith("mipl.")]
