"""The part of a batch that one of several processes embeds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProcessShare:
    """Which bags of a batch each process has, and who asks.

    Process i has the bags ``bags[i]:bags[i + 1]`` of the batch, and their instances
    ``instances[i]:instances[i + 1]``.
    """

    bags: tuple[int, ...]
    instances: tuple[int, ...]
    rank: int

    def rows(self, per_bag: bool) -> tuple[int, slice]:
        """Return how many rows the batch has, and which are the process's own."""
        bounds = self.bags if per_bag else self.instances
        return bounds[-1], slice(bounds[self.rank], bounds[self.rank + 1])
