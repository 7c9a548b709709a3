"""The generators of documents: what an instance of a text is."""

from __future__ import annotations

from mipl.errors import MiplError
from mipl.parameters import integer
from mipl.text import spans
from mipl.text.spans import Span
from mipl.text.text_bags import TextBags


class Sentences(TextBags):
    """One instance per sentence.

    A sentence ends at a full stop, question or exclamation mark before a space and what
    may begin another (not behind usual abbreviations), and at a blank line.

    Examples
    --------
    >>> texts = ["The wren sings. The owl hoots.", "An owl sings."]
    >>> bags = Sentences(least=1).fit_transform(texts)
    >>> bags, bags.coords[1].tolist()
    (Bags(2 bags, 3 instances x 3 features, 1-2 per bag), [16.0, 30.0])
    """

    def spans(self, text: str) -> list[Span]:
        """Return the sentences."""
        return spans.sentences(text)


class Passages(TextBags):
    r"""One instance per passage: sentences of a paragraph, up to ``length`` words.

    Examples
    --------
    >>> texts = ["One two. Three four. Five.\n\nSix.", "One. Six."]
    >>> Passages(length=4, least=1).fit_transform(texts).sizes.tolist()
    [3, 1]
    """

    length: int = integer(
        "Words of a passage, where its sentences are no longer.", default=60, at_least=1
    )

    def spans(self, text: str) -> list[Span]:
        """Return the passages."""
        return spans.passages(text, int(self.length))


class WordWindows(TextBags):
    """One instance per window of ``length`` words, a new one every ``step`` words.

    Examples
    --------
    >>> bags = WordWindows(length=3, step=2, least=1).fit_transform(["a1 b1 c1 d1 e1"])
    >>> bags.coords.tolist()
    [[0.0, 8.0], [6.0, 14.0]]
    """

    length: int = integer("Words of a window.", default=50, at_least=1)
    step: int | None = integer(
        "Words between the beginnings of windows; by default half their length.",
        default=None,
        at_least=1,
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.step is not None and self.step > self.length:
            raise MiplError(
                "step must be at most length, or words between windows are not seen; "
                f"got {self.step} and {self.length}."
            )

    def spans(self, text: str) -> list[Span]:
        """Return the windows."""
        step = max(1, self.length // 2) if self.step is None else int(self.step)
        return spans.windows(text, int(self.length), step)
