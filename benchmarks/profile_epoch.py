"""Where the time of an epoch on SIVAL-MIPL goes.

    python -m benchmarks.profile_epoch

Profiles a fit of one epoch, the second of its process, groups torch's operations by
kind, and prints the share of each in the whole time; the rest is Python and autograd's
engine. Operations under the profiler take about half as long again.
"""

from __future__ import annotations

import time
from collections import Counter

from torch.profiler import profile

from mipl import MIPLMA, load_dataset

KINDS = {
    "matrix products": ("mm", "addmm", "bmm", "baddbmm"),
    "random numbers": ("random_",),
    "sums, maxima and rows of bags": (
        "index_select",
        "index_add",
        "index_add_",
        "scatter_reduce",
        "_embedding_bag",
        "_embedding_bag_per_sample_weights_backward",
        "sum",
        "max",
        "linalg_vector_norm",
        "index_copy_",
    ),
    "views and new tensors": (
        "as_strided",
        "empty",
        "empty_strided",
        "empty_like",
        "view",
        "slice",
        "t",
        "transpose",
        "unsqueeze",
        "expand",
        "select",
        "detach",
        "reshape",
        "new_zeros",
    ),
}
KIND_OF = {f"aten::{name}": kind for kind, names in KINDS.items() for name in names}


def main() -> None:
    train, _ = load_dataset("sival-mipl", r=1).split(0)
    model = MIPLMA(random_state=0).set_params(training__epochs=1)
    model.fit(train.bags, train.candidates)
    with profile() as found:
        start = time.perf_counter()
        model.fit(train.bags, train.candidates)
        whole = (time.perf_counter() - start) * 1e6
    shares: Counter[str] = Counter()
    for event in found.key_averages():
        if event.key.startswith("aten::"):
            kind = KIND_OF.get(event.key, "element-wise operations")
            shares[kind] += event.self_cpu_time_total
    shares["Python and autograd's engine"] = whole - sum(shares.values())
    for kind, spent in shares.most_common():
        print(f"{spent / whole:6.1%}  {kind}")


if __name__ == "__main__":
    main()
