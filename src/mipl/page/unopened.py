"""Pages that were sent and that no browser has come back for yet.

Each holds its elements until its browser connects or the time for it is over: whatever
asks for pages and connects to none (a crawler, a check of health, a script) would hold
as many as it asks for in that time. So there is a most, and the oldest goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

MOST = 100
SECONDS = 20.0  # Until a browser has connected, on a busy machine.


class Sent(Protocol):
    """What is known of a page here: NiceGUI's client."""

    @property
    def id(self) -> str:
        """Its name among all."""

    @property
    def is_deleted(self) -> bool:
        """Whether its elements are gone."""

    async def connected(self, timeout: float | None = None) -> None:
        """Wait for its browser."""

    def delete(self) -> None:
        """Remove its elements; who comes for it is led to a new page."""


class Unopened:
    """The pages that wait for their browser, the oldest first.

    Parameters
    ----------
    most : int
        How many may wait; a browser that comes for one that is gone loads it again.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._waiting: OrderedDict[str, Sent] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    async def opened(self, page: Sent) -> bool:
        """Wait until the browser of a page has come; False where it is not awaited."""
        self._waiting[page.id] = page
        while len(self._waiting) > self.most:
            _, oldest = self._waiting.popitem(last=False)
            oldest.delete()
        try:
            await page.connected(timeout=SECONDS)
        finally:
            self._waiting.pop(page.id, None)
        return not page.is_deleted
