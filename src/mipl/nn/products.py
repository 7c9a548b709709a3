"""Products of matrices with many rows: by oneDNN where it is the faster library.

Of the two libraries that torch has on a CPU, MKL takes products in float32, and uses
half the width of the registers of some processors; oneDNN uses the whole.
"""

from __future__ import annotations

import torch
from torch import Tensor

ROWS = 512  # Of a block: what is computed of it stays in the cache of a core.


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W' + b of any memory order, without gradients: (n, d), (q, d) -> (n, q).

    Examples
    --------
    >>> product(torch.ones(3, 2), torch.eye(2), torch.ones(2))[0]
    tensor([2., 2.])
    """
    if _by_one_dnn(x):
        found: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, weight, bias, "none", [], ""
        )
        return found
    return torch.nn.functional.linear(x, weight, bias)


def _by_one_dnn(x: Tensor) -> bool:
    if x.dtype != torch.float32 or x.device.type != "cpu":
        return False
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    # Not a promise of torch: a release without it takes the usual way.
    return hasattr(torch.ops.mkldnn, "_linear_pointwise")
