"""Pages that nobody opens are held only so many at a time."""

import asyncio

import pytest
from tests.page.loops import finished

from mipl.page.unopened import Unopened


class Page:
    """A page as NiceGUI keeps it: who waits for it goes on when it is deleted."""

    def __init__(self, number: int, comes: bool = False) -> None:
        self.id, self.comes = str(number), comes
        self.is_deleted = False
        self.over = asyncio.Event()

    async def connected(self, timeout: float | None = None) -> None:
        assert timeout is not None
        if self.comes:
            return
        await self.over.wait()

    def delete(self) -> None:
        assert not self.is_deleted
        self.is_deleted = True
        self.over.set()


def test_the_oldest_page_that_nobody_opens_goes_first() -> None:
    async def told() -> tuple[list[bool], list[bool], int]:
        kept = Unopened(most=3)
        pages = [Page(i) for i in range(10)]
        waits = [asyncio.create_task(kept.opened(one)) for one in pages]
        await asyncio.sleep(0)
        left, held = [not one.is_deleted for one in pages], len(kept)
        for one in pages[7:]:
            one.over.set()  # Their browsers come at last.
        return left, await asyncio.gather(*waits), held + len(kept)

    left, opened, held = finished(told())
    assert left == [False] * 7 + [True] * 3
    assert opened == left
    assert held == 3  # And none afterwards.


def test_what_is_open_is_not_counted() -> None:
    async def told() -> list[bool]:
        kept = Unopened(most=2)
        pages = [Page(i, comes=True) for i in range(20)]
        return [await kept.opened(one) for one in pages] + [len(kept) == 0]

    assert all(finished(told()))


def test_who_waited_too_long_is_not_held() -> None:
    class Late(Page):
        async def connected(self, timeout: float | None = None) -> None:
            raise TimeoutError

    async def told() -> int:
        kept = Unopened()
        with pytest.raises(TimeoutError):
            await kept.opened(Late(0))
        return len(kept)

    assert finished(told()) == 0
