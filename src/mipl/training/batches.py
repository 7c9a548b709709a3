"""Batches: whole bags as flat tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.nn.segments import Segments


@dataclass(frozen=True, eq=False)
class Batch:
    """Some bags of the training set."""

    bags: Tensor  # (B,) their numbers
    x: Tensor  # (N, d)
    segments: Segments
    candidates: Tensor  # (B, k)


class BatchSource:
    """Training bags, dealt out in batches of a given order.

    In memory the rows of a whole epoch are put in order once, so that a step takes a
    view; on disk each step reads its own bags.
    """

    def __init__(
        self,
        bags: Bags,
        candidates: npt.NDArray[np.bool_],
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.bags = bags
        self.device = device
        self.dtype = dtype
        self.sizes = bags.sizes
        self.starts = bags.offsets[:-1]
        self.candidates = torch.as_tensor(np.array(candidates), device=device)
        self.x = None if bags.on_disk else _tensor(bags, dtype, device)

    def __len__(self) -> int:
        return len(self.sizes)

    def deal(
        self,
        order: npt.NDArray[np.int64],
        batch_size: int | None,
        batch_instances: int | None,
    ) -> Iterator[Batch]:
        """Give the bags in this order, in batches."""
        sizes = self.sizes[order]
        ends = np.cumsum(sizes)
        x = None if self.x is None else self.x.index_select(0, self._rows(order, ends))
        for first, last in cut(sizes, batch_size, batch_instances):
            chosen = order[first:last]
            numbers = torch.as_tensor(chosen, device=self.device)
            if x is None:
                rows = _tensor(self.bags[chosen].load(), self.dtype, self.device)
            else:
                rows = x[int(ends[first] - sizes[first]) : int(ends[last - 1])]
            yield Batch(
                bags=numbers,
                x=rows,
                segments=Segments.of(
                    torch.as_tensor(sizes[first:last]).to(self.device)
                ),
                candidates=self.candidates.index_select(0, numbers),
            )

    def _rows(
        self, order: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> Tensor:
        sizes = self.sizes[order]
        rows = np.repeat(self.starts[order] - (ends - sizes), sizes)
        return torch.as_tensor(rows + np.arange(len(rows)), device=self.device)


def cut(
    sizes: npt.NDArray[np.int64], batch_size: int | None, batch_instances: int | None
) -> Iterator[tuple[int, int]]:
    """Cut bags of these sizes into runs of at most so many bags and instances.

    Examples
    --------
    >>> list(cut(np.array([3, 3, 9, 1]), 2, 5))
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> list(cut(np.array([3, 3, 9, 1]), 3, None))
    [(0, 3), (3, 4)]
    """
    most = len(sizes) if batch_size is None else batch_size
    first, held = 0, 0
    for i, size in enumerate(sizes.tolist()):
        full = batch_instances is not None and held + size > batch_instances
        if i > first and (full or i - first == most):
            yield first, i
            first, held = i, 0
        held += size
    if first < len(sizes):
        yield first, len(sizes)


def _tensor(bags: Bags, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.tensor(bags.instances).to(device=device, dtype=dtype)
