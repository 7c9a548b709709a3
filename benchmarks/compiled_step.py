"""What ``torch.compile`` brings for MIPLMA's network, where a C++ compiler is.

    python -m benchmarks.compiled_step

Takes the network that a fit of one epoch on SIVAL-MIPL has left, and times a forward
and a backward pass over batches of 32 bags, whose numbers of instances all differ: as
it is, and compiled for any number of rows. Cold is the first batch of the process, with
the compiler's work; warm is the mean of those after the first pass over the bags.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from mipl import MIPLMA, load_dataset
from mipl.nn.segments import Segments

BATCH, TURNS = 32, 5


def batches() -> Iterator[tuple[Tensor, Segments]]:
    """Give all training bags, some at a time."""
    train, _ = load_dataset("sival-mipl", r=1).split(0)
    for first in range(0, len(train.bags) - BATCH, BATCH):
        part = train.bags[first : first + BATCH]
        rows = torch.tensor(part.rows(slice(None)), dtype=torch.float32)
        yield rows, Segments.of(torch.tensor(part.sizes))


def seconds(step: Callable[..., object], given: list[tuple[Tensor, Segments]]) -> float:
    """Return the mean time of a batch."""
    start = time.perf_counter()
    for rows, segments in given:
        step(rows, segments.sizes, segments.bag, segments.starts)
    return (time.perf_counter() - start) / len(given)


def main() -> None:
    torch.set_num_threads(1)
    train, _ = load_dataset("sival-mipl", r=1).split(0)
    model = MIPLMA(random_state=0).set_params(training__epochs=1)
    module = model.fit(train.bags, train.candidates).module_
    given = [*batches()]

    def forward(x: Tensor, sizes: Tensor, bag: Tensor, starts: Tensor) -> Tensor:
        said = module(x, Segments(sizes, bag, starts), 1.0)
        loss: Tensor = -said.log_p.max(dim=1).values.mean()
        return loss

    compiled = torch.compile(forward, dynamic=True)
    ways = {"as it is": forward, "compiled": compiled}
    told: dict[str, list[float]] = {name: [] for name in ways}
    for name, way in ways.items():

        def step(*parts: Tensor, way: Callable[..., Tensor] = way) -> None:
            module.zero_grad()
            way(*parts).backward()

        cold = seconds(step, given[:1])
        seconds(step, given)
        print(f"{name}: cold {cold:.2f} s", flush=True)
        for _ in range(TURNS):
            told[name].append(seconds(step, given))
    for name, turns in told.items():
        print(f"{name}: warm {1e3 * min(turns):.2f} ms a batch, of {TURNS} turns")
    print(f"ratio {min(told['as it is']) / min(told['compiled']):.2f}")


if __name__ == "__main__":
    main()
