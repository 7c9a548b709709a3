"""Small settings of every registered method, so that contract tests stay quick."""

from mipl.methods.registry import method, methods

_SMALL_NETWORK = {
    "width": 8,
    "dropout": 0.0,
    "training__epochs": 6,
    "training__lr": 0.3,
    "training__batch_size": 32,
}

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
}


def small(id):
    """Build a method with its small settings."""
    return method(id, **SMALL[id])


def own_ids():
    """Return the ids of this library's methods."""
    return [row.id for row in methods() if row.path.startswith("mipl.")]
