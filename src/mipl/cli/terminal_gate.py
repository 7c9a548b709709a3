"""The last gate before a terminal: no segment of text holds letters that steer it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mipl.plain_text import plain


class GatedConsole(Console):
    """A console whose text is no markup and holds no letters that steer.

    Bars and tables that rich draws by itself pass as well.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Give the segments of what is to be shown, text made plain."""
        for text, style, control in super().render(renderable, options):
            # What rich itself sends to steer the terminal is no text.
            yield Segment(text if control else plain(text, keep="\n"), style, control)
