"""One training in many processes, started by ``torchrun``.

Each process embeds its own bags of a batch. What the network says about them is then
given to all, so that every process sees the whole batch: margins, label weights and
loss are those of one process, and the gradients of the parts add up to its gradient.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.rendezvous import rendezvous

from mipl.errors import MiplError
from mipl.nn.process_share import ProcessShare
from mipl.nn.segments import Segments

if TYPE_CHECKING:
    from mipl.nn.network import BagNetwork, Output
    from mipl.training.batches import Batch
    from mipl.training.options import Training

_FITS = count()  # Of this process.
# Layers whose rows depend on the others of a batch, or on their place in it.
_BATCH_WIDE = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._BatchNorm)


class Alone:
    """One process: every bag is its own, and there is nobody to agree with."""

    rank = 0
    size = 1

    def part(self, sizes: npt.NDArray[np.int64]) -> ProcessShare | None:
        """Return which bags of a batch are this process's own; None for all."""
        return None

    def forward(self, module: BagNetwork, batch: Batch, tau: float) -> Output:
        """Return what the network says about the whole batch."""
        out: Output = module(batch.x, batch.segments, tau)
        return out

    def gradients(
        self, total: Tensor, parameters: Sequence[Tensor]
    ) -> Sequence[Tensor | None]:
        """Return the gradients of the whole batch's loss."""
        return torch.autograd.grad(total, parameters, allow_unused=True)

    def any(self, wish: bool) -> bool:
        """Tell whether any process wishes it."""
        return wish

    def from_first(self, content: bytes) -> bytes:
        """Return what the first process has given."""
        return content

    def check(self, module: BagNetwork, facts: Mapping[str, Any]) -> None:
        """Refuse processes that differ, and networks that cannot be shared out."""


ALONE = Alone()


class Team(Alone):
    """Several processes with the same data, arguments and seed."""

    def __init__(self, device: torch.device) -> None:
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.device = device
        self.gathered: list[_Gathered] = []

    def part(self, sizes: npt.NDArray[np.int64]) -> ProcessShare | None:
        """Share out the bags in their order, with about as many instances each."""
        ends = np.cumsum(sizes)
        shares = np.linspace(0, ends[-1], self.size + 1)
        bounds = np.searchsorted(ends - sizes / 2, shares)
        rows = np.concatenate([[0], ends])[bounds]
        return ProcessShare(tuple(bounds.tolist()), tuple(rows.tolist()), self.rank)

    def forward(self, module: BagNetwork, batch: Batch, tau: float) -> Output:
        """Run the own bags, and join what all processes say about theirs."""
        part = batch.part
        assert part is not None  # The source gives each batch its part.
        own = Segments.of(batch.segments.sizes[part.rows(per_bag=True)[1]])
        out: Output = module(batch.x, own, tau)
        rows = {n: getattr(out, n) for n in out.PER_INSTANCE if n != "h"}
        per_bag = _Gathered(out.per_bag(), part.bags, self.rank)
        per_instance = _Gathered(rows, part.instances, self.rank)
        self.gathered = [per_bag, per_instance]
        known = per_bag.values() | per_instance.values()
        rest: Any = _NotShared()  # In the place of a tensor.
        return out.joined({**known, "h": rest})

    def gradients(
        self, total: Tensor, parameters: Sequence[Tensor]
    ) -> Sequence[Tensor | None]:
        """Add up the gradients of all processes' own bags."""
        wholes = [part.whole for part in self.gathered]
        # The own rows may come from the same draws as the loss.
        found = torch.autograd.grad(
            total, [*parameters, *wholes], allow_unused=True, retain_graph=True
        )
        used, of_rows = found[: len(parameters)], found[len(parameters) :]
        own = torch.autograd.grad(
            [part.own for part in self.gathered],
            parameters,
            [part.of_own(g) for part, g in zip(self.gathered, of_rows, strict=True)],
            allow_unused=True,
        )
        self.gathered = []
        # Where the loss uses a parameter itself, it does so in every process alike.
        shares = [None if g is None else g / self.size for g in used]
        return _sums([_sum(*pair) for pair in zip(shares, own, strict=True)])

    def any(self, wish: bool) -> bool:
        """Ask all processes."""
        wishes = torch.tensor(int(wish), device=self.device)
        dist.all_reduce(wishes, dist.ReduceOp.MAX)
        return bool(wishes)

    def from_first(self, content: bytes) -> bytes:
        """Broadcast from the first process; what the others give is not used."""
        length = torch.tensor(len(content), device=self.device)
        dist.broadcast(length, 0)
        if length == 0:
            return b""
        given = bytearray(content if self.rank == 0 else int(length))
        data = torch.frombuffer(given, dtype=torch.uint8).to(self.device)
        dist.broadcast(data, 0)
        return data.cpu().numpy().tobytes()

    def check(self, module: BagNetwork, facts: Mapping[str, Any]) -> None:
        """Compare a hash of all that decides the bits with the first process's."""
        own = sha256(repr(sorted(facts.items())).encode()).digest()
        if self.any(self.from_first(own) != own):
            raise MiplError(
                "the processes that torchrun has started do not fit the same: give "
                "each the same data, arguments and random_state."
            )
        for name, layer in module.named_modules():
            if isinstance(layer, _BATCH_WIDE):
                raise MiplError(
                    f"the layer {name} ({type(layer).__name__}) cannot be trained in "
                    "many processes: what it does to an instance depends on the "
                    "others; leave it out, or train in one process."
                )


class _Gathered:
    """Some of a network's outputs: this process's rows, and a copy of all rows.

    The copies take the gradient of the loss; ``of_own`` is what belongs to the own.
    """

    def __init__(
        self, values: Mapping[str, Tensor], bounds: tuple[int, ...], rank: int
    ) -> None:
        self.shapes = {name: value.shape[1:] for name, value in values.items()}
        flat = [
            value.flatten(1) if value.ndim > 1 else value[:, None]
            for value in values.values()
        ]
        self.widths = [value.shape[1] for value in flat]
        self.own = torch.cat(flat, dim=1)  # (n, C)
        self.rows = slice(bounds[rank], bounds[rank + 1])
        self.whole = _all_rows(self.own.detach(), bounds).requires_grad_()

    def values(self) -> dict[str, Tensor]:
        """Return the outputs by name, for all rows."""
        parts = torch.split(self.whole, self.widths, dim=1)
        return {
            name: part.reshape(len(part), *shape)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def of_own(self, gradient: Tensor | None) -> Tensor:
        """Return the gradient of the loss for the own rows."""
        if gradient is None:
            return torch.zeros_like(self.own)
        return gradient[self.rows]


def _all_rows(own: Tensor, bounds: tuple[int, ...]) -> Tensor:
    counts = np.diff(bounds).tolist()
    # All send equally many rows, padded where they have fewer.
    padded = own.new_zeros(max(counts), own.shape[1])
    padded[: len(own)] = own
    parts = [torch.empty_like(padded) for _ in counts]
    dist.all_gather(parts, padded)
    return torch.cat([part[:n] for part, n in zip(parts, counts, strict=True)])


def _sum(a: Tensor | None, b: Tensor | None) -> Tensor | None:
    return b if a is None else a if b is None else a + b


def _sums(gradients: list[Tensor | None]) -> list[Tensor | None]:
    """Return the sums of gradients over all processes, in one exchange."""
    known = [gradient for gradient in gradients if gradient is not None]
    flat = torch.cat([gradient.flatten() for gradient in known])
    dist.all_reduce(flat)
    sums = iter(torch.split(flat, [gradient.numel() for gradient in known]))
    return [g if g is None else next(sums).view(g.shape) for g in gradients]


class _NotShared:
    """Stands for the embedded instances, which are too many to send around."""

    def __getattr__(self, name: str) -> NoReturn:
        raise MiplError(
            "this method uses all embedded instances of a batch, which many processes "
            "do not share; train it in one process."
        )

    @classmethod
    def __torch_function__(cls, *arguments: Any, **others: Any) -> NoReturn:
        cls().used()


@contextmanager
def joined(options: Training) -> Iterator[Alone]:
    """Join the processes that torchrun has started, for the time of a fit."""
    device = options.torch_device()
    if world_size() == 1:
        yield ALONE
        return
    on_gpu = device.type == "cuda"
    with torch.cuda.device(_local_gpu()) if on_gpu else nullcontext():
        own = not dist.is_initialized()
        if own:
            _meet("cpu:gloo,cuda:nccl" if on_gpu else "gloo")
        try:
            yield Team(device)
        finally:
            if own:
                dist.destroy_process_group()


def _meet(backend: str) -> None:
    store, rank, size = next(rendezvous("env://"))
    # torchrun's store outlives a fit; the next one must not find its addresses there.
    name = f"mipl fit {next(_FITS)}"
    store = dist.PrefixStore(name, store)  # type: ignore[attr-defined]
    dist.init_process_group(backend, store=store, rank=rank, world_size=size)


def world_size() -> int:
    """Return how many processes torchrun, or the caller, has started for this."""
    if not dist.is_available():
        return 1
    if dist.is_initialized():
        return dist.get_world_size()
    if dist.is_torchelastic_launched():
        return int(os.environ.get("WORLD_SIZE", "1"))
    return 1


def process_rank() -> int:
    """Return the number of this process among those; the first one is 0."""
    if world_size() == 1:
        return 0
    return dist.get_rank() if dist.is_initialized() else int(os.environ["RANK"])


def _local_gpu() -> int:
    return int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count()
