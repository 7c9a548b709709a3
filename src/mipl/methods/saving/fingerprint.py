"""All that decides the bits of a fit, each under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from types import FunctionType
from typing import Any

import numpy as np
from torch import nn

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.frozen import Array
from mipl.methods.saving.arguments import as_json, own_code
from mipl.methods.saving.persist import versions
from mipl.methods.saving.stored import classes_as_fact
from mipl.nn.published_values import digest
from mipl.training.options import Training
from mipl.training.stopping import Validation

_PLACES = 256


def fingerprint(
    estimator: Any,
    bags: Bags,
    candidates: Candidates,
    options: Training,
    seed: int,
    processes: int,
    weights: Array | None = None,
    watched: Validation | None = None,
) -> dict[str, Any]:
    """Return what a checkpoint must agree with, by names that a message can use."""
    method = as_json(estimator)
    arguments = method["arguments"]
    # In their place stand the settings that are used and the seed they give.
    del arguments["training"], arguments["random_state"]
    arguments.pop("warm_start", None)  # What it goes on from stands below.
    training = as_json(options)["arguments"]
    facts = {
        "method": method["estimator"],
        **arguments,
        **{f"training.{name}": value for name, value in training.items()},
        "seed": seed,
        "device": options.torch_device().type,
        "processes": processes,
        **surroundings(bags, candidates),
    }
    code = own_code(type(estimator))
    told = {"text of the method": code} if code else {}
    if weights is not None:
        told["weights of bags"] = sha256(weights.tobytes()).hexdigest()
    if watched is not None:
        told["validation bags"] = watched.bags.digest()
        told["validation candidates"] = candidates_digest(watched.candidates)
    if estimator._past:
        told |= _past_values(estimator._past)
    return facts | told | _functions(estimator) | _own_values(estimator)


def fingerprint_around(
    wrapper: Any, bags: Bags, candidates: Candidates
) -> dict[str, Any]:
    """Return what the checkpoint of an estimator around another must agree with."""
    own, inner = as_json(wrapper), as_json(wrapper.estimator)
    arguments = own["arguments"]
    del arguments["estimator"]
    arguments.pop("n_jobs", None)  # The bits do not depend on it.
    return {
        "method": own["estimator"],
        **arguments,
        "estimator": inner["estimator"],
        **{f"estimator.{name}": v for name, v in inner["arguments"].items()},
        **surroundings(bags, candidates),
        **_own_values(wrapper),
    }


def _past_values(past: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a warm start goes on from."""
    total = sha256(digest(past["module_"]).encode())
    total.update(past["kept_weights_"].tobytes() if "kept_weights_" in past else b"")
    return {"epochs before": past["n_iter_"], "learnt before": total.hexdigest()}


def _functions(estimator: Any) -> dict[str, str]:
    """Return a hash of the text of each function among the arguments, by its name."""
    told = {}
    for value in estimator.get_params(deep=False).values():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, FunctionType):
                code = one.__code__
                text = repr((code.co_code, code.co_consts, code.co_names))
                told[f"text of {one.__name__}"] = sha256(text.encode()).hexdigest()
    return told


def _own_values(estimator: Any) -> dict[str, str]:
    """Return a hash of the module of the user's own among the arguments, if any."""
    for value in estimator.get_params().values():
        if isinstance(value, nn.Module):
            return {"values of the encoder": digest(value)}
    return {}


def surroundings(bags: Bags, candidates: Candidates) -> dict[str, Any]:
    """Return what decides the bits of any fit beside its method: data and versions."""
    return {
        "bags": bags.digest(),
        "candidates": candidates_digest(candidates),
        **{f"version of {name}": number for name, number in versions().items()},
    }


def sketch(bags: Bags, candidates: Candidates) -> str:
    """Return a hash by which bags are known again, of few of their numbers.

    It has all sizes and candidate sets, and the instances at so many places: those of a
    data set on disk need not all be read for it.
    """
    total = sha256(f"{bags.n_features} {candidates_digest(candidates)}".encode())
    total.update(np.ascontiguousarray(bags.offsets).tobytes())
    places = np.linspace(0, bags.n_instances - 1, num=_PLACES).astype(np.int64)
    rows = bags.rows(np.unique(places))
    total.update(np.ascontiguousarray(rows).tobytes())
    return total.hexdigest()


def candidates_digest(candidates: Candidates) -> str:
    """Return a hash of classes, sets and weights."""
    total = sha256(repr(classes_as_fact(candidates.classes)).encode())
    total.update(candidates.matrix.tobytes())
    total.update(candidates.initial_weights().tobytes())
    return total.hexdigest()
