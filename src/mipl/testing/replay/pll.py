"""Replays of the partial-label methods as their authors' programs compute them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.methods.bases.partial_network import PartialLabelNetwork
from mipl.methods.pll.cavl import CAVL
from mipl.methods.pll.cc import CC
from mipl.methods.pll.lws import LWS
from mipl.methods.pll.proden import PRODEN
from mipl.methods.pll.rc import RC
from mipl.nn.network import Output
from mipl.objectives import activated_label, activation_values
from mipl.testing.replay.network import Arrays, Inputs, array, prefixed, source_of
from mipl.testing.replay.program import total_of
from mipl.training.batches import Batch
from mipl.training.state import Clock

_CLOCK = Clock(1, 1)


def proden(inputs: Inputs) -> Arrays:
    """Recompute PRODEN's file."""
    logits = inputs["logits"]
    found = steps(PRODEN(), inputs, logits, logits)
    new = found.pop("of_batch")
    return {**found, "new_confidences_of_batch": new}


def rc_and_cc(inputs: Inputs) -> Arrays:
    """Recompute the file of RC and CC."""
    rc = prefixed("rc_", late_steps(RC(), inputs))
    cc = prefixed("cc_", late_steps(CC(), inputs))
    # CC's loss has no label weights.
    del rc["rc_of_batch"], cc["cc_of_batch"], cc["cc_confidences_after"]
    return rc | cc


def lws(inputs: Inputs) -> Arrays:
    """Recompute LWS' file, both forms; the weight of the candidates' term is 1."""
    beta = float(inputs["leverage_weight_noncandidates"])
    found: Arrays = {}
    for form in ("sigmoid", "cross-entropy"):
        told = late_steps(LWS(form=form, beta=beta), inputs)
        del told["of_batch"]
        told["candidate_term"] = told.pop("term_candidates")
        told["noncandidate_term"] = told.pop("term_others")
        found |= prefixed(form.replace("-", "") + "_", told)
    return found


def cavl(inputs: Inputs) -> Arrays:
    """Recompute CAVL's file, with the published choice among all classes."""
    method = CAVL(restrict=False)
    found = late_steps(method, inputs)
    del found["of_batch"]
    z = torch.as_tensor(inputs["logits_for_update"])
    candidates = torch.as_tensor(inputs["candidates"][inputs["batch_index"]]).bool()
    values = activation_values(z)
    chosen = activated_label(values, candidates, method.restrict)
    inside = candidates.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
    return {
        **found,
        "masked_class_activation_values": array(values * candidates),
        "selected_label": array(chosen),
        "selected_is_candidate": array(inside),
    }


def late_steps(method: PartialLabelNetwork, inputs: Inputs) -> Arrays:
    """Return steps whose label weights come from logits after the step."""
    logits = (inputs["logits_for_loss"], inputs["logits_for_update"])
    return steps(method, inputs, *logits)


def steps(
    method: PartialLabelNetwork, inputs: Inputs, of_loss: Any, of_update: Any
) -> Arrays:
    """Run losses and updates on given logits, step after step."""
    k = inputs["candidates"].shape[1]
    method.n_features_in_ = k
    head = method._new_module(k).head
    w = torch.tensor(inputs["confidences_initial"], dtype=torch.float64)
    told: dict[str, list[Tensor]] = {}
    for step, rows in enumerate(inputs["batch_index"]):
        batch = _batch(inputs, rows)
        z = torch.tensor(of_loss[step], dtype=torch.float64, requires_grad=True)
        terms = method._loss(_output(z, head), batch, w[batch.bags], _CLOCK)
        total = total_of(terms)
        later = _output(torch.tensor(of_update[step], dtype=torch.float64), head)
        updated = method._update(later, batch, w[batch.bags], _CLOCK)
        w = w.index_copy(0, batch.bags, updated)
        values = {
            "loss": total,
            "gradient_logits": torch.autograd.grad(total, z)[0],
            "of_batch": updated,
            "confidences_after": w,
        }
        if len(terms) > 1:
            values |= {f"term_{name}": term for name, term in terms.items()}
        for name, value in values.items():
            told.setdefault(name, []).append(value)
    return {name: array(torch.stack(values)) for name, values in told.items()}


def _batch(inputs: Inputs, rows: Any) -> Batch:
    """Return these rows as the training would deal them; their features are unused."""
    m = len(inputs["candidates"])
    source = source_of(Bags(np.zeros((m, 1))), inputs["candidates"])
    return next(source.deal(rows, None, None))


def _output(z: Tensor, head: Callable[[Tensor], Tensor]) -> Output:
    """Return what a network of these logits says."""
    log_p = head(z)
    ones = torch.ones(len(z), dtype=z.dtype)
    return Output(log_p, log_p.exp(), ones, ones, z, z)
