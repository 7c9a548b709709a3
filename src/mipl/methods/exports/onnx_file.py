"""The bytes of an ONNX file: graph, metadata, and a trial of both.

This is the only file here that knows onnx and onnxruntime, which are optional: import
it on use.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from mipl.data.bags import Bags
from mipl.errors import MiplError, MissingExtra
from mipl.methods.bases.base import BagClassifier
from mipl.methods.exports.bag_graph import (
    PROBABILITIES,
    UNCALIBRATED,
    BagGraph,
    takes_vectors,
)
from mipl.methods.exports.int8 import store_in_8_bits
from mipl.methods.saving.persist import versions
from mipl.methods.saving.stored import classes_as_fact
from mipl.metrics.calibration import candidate_conformal_scores, conformal_scores
from mipl.seeds import stream

try:
    import onnx
    import onnx.inliner
    import onnxruntime
    import onnxscript  # noqa: F401  # torch writes ONNX by it.
except ImportError:
    raise MissingExtra.of(
        "mipl export", "onnx, onnxscript and onnxruntime", "onnx"
    ) from None

FORMAT = "mipl bags 1"
INSTANCES, OFFSETS = "instances", "offsets"
_OPSET = 20
_EXAMPLE = (2, 1, 3)  # Bags that the graph is traced with; it holds for any others.
_PROBE = (1, 4, 2, 7, 3)  # Bags that it is tried on.


def onnx_bytes(model: BagClassifier, int8: bool) -> tuple[bytes, float]:
    """Return the file of a fitted model, and how far it is from the model.

    That is the largest difference of a probability on random bags.
    """
    graph = BagGraph(model).eval()
    proto = _traced(graph, model)
    if int8:
        store_in_8_bits(proto)
    _clean(proto)
    onnx.helper.set_model_props(proto, _metadata(model, int8))
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data, _difference(data, model)


# -- the graph ------------------------------------------------------------------------


def _traced(graph: BagGraph, model: BagClassifier) -> Any:
    """Return the ONNX form of a graph, for any number of bags and instances."""
    sizes = (1, 1, 1) if takes_vectors(model) else _EXAMPLE
    x, offsets = _drawn(model, sizes)
    n, m = torch.export.Dim("n_instances"), torch.export.Dim("n_offsets")
    try:
        with _quiet(), torch.no_grad():
            program = torch.onnx.export(
                graph,
                (torch.from_numpy(x), torch.from_numpy(offsets)),
                input_names=[INSTANCES, OFFSETS],
                output_names=list(graph.outputs),
                dynamic_shapes={"instances": {0: n}, "offsets": {0: m}},
                opset_version=_OPSET,
                dynamo=True,
                # It would drop a small number that is added, the 1e-8 beside a spread.
                optimize=False,
                external_data=False,
                verbose=False,
            )
    except Exception as error:  # torch's have no family; a user's encoder may be at it.
        raise _no_graph(model, error) from error
    assert program is not None
    return onnx.inliner.inline_local_functions(program.model_proto)


def _no_graph(model: BagClassifier, error: BaseException) -> MiplError:
    """Tell why a model cannot be written, which is an encoder of the user's mostly."""
    while error.__cause__ is not None:
        error = error.__cause__
    first = str(error).strip().split("\n")[0][:150].rstrip(".")
    return MiplError(
        f"{type(model).__name__} cannot be written as a graph for any number of "
        f"instances: {first}; an encoder of your own must not branch on what it is "
        "given, nor on how much."
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what torch says about itself, and about libraries that are not needed."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _clean(proto: Any) -> None:
    """Take out what tells of the maker's machine, and name the free axes."""
    graph = proto.graph
    proto.ClearField("metadata_props")
    proto.doc_string, graph.doc_string = "", ""
    proto.producer_name, graph.name = "mipl", "bags"
    graph.ClearField("metadata_props")
    graph.ClearField("value_info")
    for part in (*graph.node, *graph.input, *graph.output, *graph.initializer):
        part.ClearField("metadata_props")
        part.doc_string = ""
    for number, node in enumerate(graph.node):
        node.name = f"{node.op_type}_{number}"
    for value in (*graph.input, *graph.output):
        for axis in value.type.tensor_type.shape.dim:
            if axis.dim_param:
                axis.dim_param = _AXES.get(axis.dim_param, "bags")


_AXES = {"n_instances": "instances", "n_offsets": "bags + 1"}


# -- metadata -------------------------------------------------------------------------


def _metadata(model: BagClassifier, int8: bool) -> dict[str, str]:
    """Return what the file says of itself: JSON values by name."""
    names = getattr(model, "feature_names_in_", None)
    method = type(model).__name__
    inner = getattr(model, "estimator", None)
    facts: dict[str, Any] = {
        "format": FORMAT,
        "method": f"{method}({type(inner).__name__})" if inner else method,
        "classes": classes_as_fact(model.classes_)["values"],
        "n_features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "features": dict(model.feature_source_),
        "one_instance_per_bag": takes_vectors(model),
        "calibration": _calibration(model),
        "int8": int8,
        "versions": versions() | {"onnxruntime": onnxruntime.__version__},
    }
    return {
        name: json.dumps(value, ensure_ascii=False) for name, value in facts.items()
    }


def _calibration(model: BagClassifier) -> dict[str, Any] | None:
    """Return the temperature, which the graph has applied, and the conformal scores."""
    if model.conformal_ is None and model.temperature_ == 1.0:
        return None
    told: dict[str, Any] = {"temperature": float(model.temperature_), "conformal": None}
    if model.conformal_ is not None:
        kind, p, truth = model.conformal_
        score = conformal_scores if kind == "labels" else candidate_conformal_scores
        told["conformal"] = {
            "learnt_from": kind,
            "of": UNCALIBRATED,
            "scores": np.sort(score(p, truth)).tolist(),
        }
    return told


# -- the trial ------------------------------------------------------------------------


def _drawn(
    model: BagClassifier, sizes: Sequence[int]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Return instances and offsets of random bags, spread as those of the training."""
    d = int(model.n_features_in_)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    x = stream(0, "bags of an export").normal(size=(int(offsets[-1]), d))
    mean, scale = _spread(model)
    return (x * scale + mean).astype(np.float32), offsets


def _spread(model: Any) -> tuple[Any, Any]:
    """Return mean and scale of the first network's features, where it knows them."""
    d = int(model.n_features_in_)
    inside = getattr(model, "estimator_", None)
    several = getattr(model, "members_", None) or getattr(model, "estimators_", None)
    first = next((one for one in [inside, *(several or ())] if one is not None), model)
    if first is not model:
        mean, scale = _spread(first)
        return mean[:d], scale[:d]
    known = (v.detach().cpu().double().numpy() for v in _scaling(model))
    mean, scale = known
    return mean, scale


def _scaling(model: Any) -> tuple[Any, Any]:
    layer = model.module_.scaling
    return layer.mean, layer.scale


def _difference(data: bytes, model: BagClassifier) -> float:
    """Return how far the probabilities of a file are from the model's."""
    sizes = (1,) * len(_PROBE) if takes_vectors(model) else _PROBE
    x, offsets = _drawn(model, sizes)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    try:
        (found,) = session.run([PROBABILITIES], {INSTANCES: x, OFFSETS: offsets})
    except Exception as error:  # onnxruntime's have no family.
        raise _no_graph(model, error) from error
    p = model.predict_proba(Bags(x, offsets=offsets))
    return float(np.abs(found - p).max())
