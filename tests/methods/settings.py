"""Small settings of every registered method, so that contract tests stay quick."""

from mipl.methods.registry import method, methods

_SMALL_MIPLMA = {
    "width": 8,
    "dropout": 0.0,
    "training__epochs": 6,
    "training__lr": 0.3,
    "training__batch_size": 32,
}

SMALL = {
    "miplma": _SMALL_MIPLMA,
    "miplma-released": _SMALL_MIPLMA,
    "miplma-paper": _SMALL_MIPLMA,
    "miplma-mains": _SMALL_MIPLMA,
    "miplma-malab": _SMALL_MIPLMA,
    "miplma-woma": _SMALL_MIPLMA,
    "miplma-mamm": _SMALL_MIPLMA,
}


def small(id):
    """Build a method with its small settings."""
    return method(id, **SMALL[id])


def own_ids():
    """Return the ids of this library's methods."""
    return [row.id for row in methods() if row.path.startswith("mipl.")]
