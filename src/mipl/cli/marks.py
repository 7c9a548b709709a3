"""What ``mipl explain`` writes of the picture, recording or document of a bag."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from mipl.reports.marked_text import Piece
    from mipl.runs.explanation import Explanation


_PAGES = (".html", ".htm")
# Grounds for black letters, by the share of the largest weight.
_GROUNDS = ("#fdf1e7", "#f9d5b5", "#f4b37c", "#ee8f45", "#e56b10")


@dataclass(frozen=True)
class Marks:
    """Files to write, as the options tell."""

    overlay: Path | None
    audacity: Path | None
    raven: Path | None
    page: Path | None

    def check(self) -> None:
        """Refuse names that do not say what the files are."""
        from mipl.errors import MiplError
        from mipl.reports.plots import check_picture_name

        if self.overlay is not None:
            check_picture_name(self.overlay)
        for path, program in ((self.audacity, "Audacity"), (self.raven, "Raven")):
            if path is not None and path.suffix.lower() != ".txt":
                raise MiplError(
                    f"labels for {program} are a file that ends in .txt; got "
                    f"{path.name!r}."
                )
        if self.page is not None and self.page.suffix.lower() not in _PAGES:
            raise MiplError(
                f"a page must end in {' or '.join(_PAGES)}; got {self.page.name!r}."
            )

    def shortened_by_top(self) -> bool:
        """Tell whether something is written that --top shortens."""
        return self.audacity is not None or self.raven is not None

    def paths(self) -> list[Path]:
        """Return the files in which there is something."""
        every = (self.overlay, self.audacity, self.raven, self.page)
        return [path for path in every if path is not None]

    def write(self, told: Explanation, top: int | None) -> None:
        """Write all of them."""
        from mipl.files import write_text
        from mipl.reports.plots import save
        from mipl.reports.sound_labels import audacity_labels, raven_table
        from mipl.runs.instance_places import places_of

        if self.overlay is not None:
            save(_overlay(told), self.overlay)
        if self.audacity is not None:
            places = places_of(told.bag, told.facts)
            write_text(self.audacity, audacity_labels(told, places, top))
        if self.raven is not None:
            places = places_of(told.bag, told.facts)
            write_text(self.raven, raven_table(told, places, top))
        if self.page is not None:
            from mipl.reports.marked_text import MarkedText

            marked = MarkedText.of(told, places_of(told.bag, told.facts))
            write_text(self.page, marked.page())


def show_text(told: Explanation) -> None:
    """Print the text of a bag with marks, if it is a text and can be read."""
    from mipl.cli.output import pairs, show, title, warn
    from mipl.errors import MiplError
    from mipl.reports.marked_text import MarkedText
    from mipl.runs.instance_places import IN_TEXT, places_of

    if tuple(told.facts.get("coords") or ()) != IN_TEXT or told.bag.uris is None:
        return
    try:
        marked = MarkedText.of(told, places_of(told.bag, told.facts))
    except MiplError as error:  # All that can be told without it was told.
        warn(str(error))
        return
    rows = {
        f"{weight:.3f} ({i})": text for i, (weight, text) in enumerate(marked.top(), 1)
    }
    show("", title("text", f"the most {marked.name} first"), pairs(rows))
    show("", _coloured(marked.around_the_top()))


def _coloured(pieces: Sequence[Piece]) -> RenderableType:
    from rich.text import Text

    from mipl.plain_text import plain

    found = Text()
    for piece in pieces:
        level = min(int(piece.share * len(_GROUNDS)), len(_GROUNDS) - 1)
        marked = piece.weight is not None and piece.share > 0
        style = f"black on {_GROUNDS[level]}" if marked else ""
        found.append(plain(piece.text.expandtabs(4), keep="\n"), style)
    return found


def _overlay(told: Explanation) -> Figure:
    """Draw over the picture, or over the spectrogram of the recording."""
    from mipl.errors import MiplError
    from mipl.generators.generator_catalog import catalog_of
    from mipl.images.bag_generators import recorded
    from mipl.reports.overlay import draw_overlay
    from mipl.runs.instance_places import LETTERS, SECONDS, places_of

    if "coords" not in told.facts:
        return draw_overlay(told, recorded(told.facts))
    places = places_of(told.bag, told.facts)
    if places.unit == LETTERS:
        raise MiplError(
            f"{told.name} is a text, which is marked and not drawn over; write it with "
            "--page."
        )
    if places.unit != SECONDS:
        return draw_overlay(told)
    from mipl.audio import SoundBags
    from mipl.reports.sound_overlay import draw_sound

    made = catalog_of("recording").recorded(told.facts.get("generator"))
    return draw_sound(told, places, (made or SoundBags()).grid())
