"""Small settings of every registered method, so that contract tests stay quick.

They come from the names of its arguments. Where those do not suit a method, its test
file, ``tests/methods/<family>/test_<module>.py``, has ``SMALL_SETTINGS`` of its own.
"""

from importlib import import_module
from importlib.util import find_spec

from mipl.methods.catalogue.registry import find, method, methods

_GENERAL = {
    "width": 8,
    "dropout": 0.0,
    "attention_width": 6,
    "latent": 3,
    "samples": 3,
    "draws": 16,
    "inducing": 10,
    "iterations": 4,
    "n": 2,
    "training__epochs": 6,
    "training__lr": 0.3,
    "training__batch_size": 32,
}
_ADAM = {"training__lr": 0.03}
_LAYERS = {"width": (16, 8), "training__epochs": 8}
_WITHOUT_A_TEST_FILE = {
    "rc": {"backbone": "mlp"},
    # It purifies, and both drops candidates and raises the threshold.
    "pop": {"theta": 0.05, "increment": 0.5, "window": 2, "warm_up": 4},
}


def own_ids(**facts):
    """Return the ids of this library's methods, of whose rows these facts hold."""
    return [
        row.id
        for row in methods()
        if row.path.startswith("mipl.")
        and all(getattr(row, name) == value for name, value in facts.items())
    ]


# Methods of vectors, which learn from bags inside Degraded.
PARTIAL = own_ids(family="pll")
# Methods of two classes, which learn more inside OneVsRest.
TWO_CLASS = own_ids(one_vs_rest=True)
OF_BAGS = [id for id in own_ids() if id not in (*PARTIAL, *TWO_CLASS)]


def small_settings(id):
    """Return the settings with which a method is quick."""
    row = find(id)
    known = row.defaults()
    settings = {name: value for name, value in _GENERAL.items() if name in known}
    if known.get("training__optimiser", "sgd") != "sgd":
        settings |= _ADAM
    if "backbone" in known:
        settings |= _LAYERS
    return settings | _WITHOUT_A_TEST_FILE.get(id, {}) | _own(row)


def _own(row):
    module = row.path.partition(":")[0].rpartition(".")[2]
    name = f"tests.methods.{row.family}.test_{module}"
    if not row.path.startswith("mipl.") or find_spec(name) is None:
        return {}
    return getattr(import_module(name), "SMALL_SETTINGS", {})


def small(id, **more):
    """Build a method with its small settings."""
    return method(id, **small_settings(id), **more)
