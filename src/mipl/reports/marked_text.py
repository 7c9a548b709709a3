"""The weights of instances, marked in the text that the bag was made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError, counted
from mipl.generators.conversion import told_of
from mipl.plain_text import plain, shortened
from mipl.reports.bag_plots import headline, instance_weights
from mipl.reports.html import render
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import LETTERS, Places
from mipl.text.documents import document_at

_TOP = 8
_SHOWN = 160  # Letters of an instance in a list.
_AROUND = 3000  # Letters that a terminal is given.


@dataclass(frozen=True)
class Piece:
    """Some letters in a row that are in the same instances.

    Attributes
    ----------
    text : str
    weight : float or None
        The mean weight of the instances; None where there are none.
    share : float
        Of the largest weight, 0 to 1.
    """

    text: str
    weight: float | None
    share: float


@dataclass(frozen=True, eq=False)
class MarkedText:
    """A document and what a model looked at in it.

    Attributes
    ----------
    told : Explanation
    name : str
        What the weights are called.
    text : str
    spans : (n, 2) from and to, in letters
    weight : (n,)
    """

    told: Explanation
    name: str
    text: str
    spans: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]

    @classmethod
    def of(cls, told: Explanation, places: Places) -> MarkedText:
        """Read the document of a bag; refuse another than the bag was made of."""
        if places.unit != LETTERS:
            raise MiplError(
                f"{told.name} has no places in a text; texts are marked in bags of "
                "mipl text to-bags."
            )
        if told.bag.uris is None:
            raise MiplError(
                f"{told.name} does not say which document it comes from (uris); make "
                "the bags from files with mipl text to-bags."
            )
        weight, name = instance_weights(told)
        item = document_at(str(told.bag.uris[0]))
        try:
            text = item.content()
        except MiplError as error:
            raise told_of(item, error) from None
        spans = places.boxes.astype(np.int64)
        if spans[:, 1].max() > len(text):
            raise MiplError(
                f"{item} has {len(text):,} letters, and an instance of {told.name} "
                f"ends at {spans[:, 1].max():,}: it is another document than the bag "
                "was made of; put that one back."
            )
        return cls(told, name, text, spans, weight)

    def pieces(self, first: int = 0, behind: int | None = None) -> list[Piece]:
        """Return the text in pieces; where instances overlap, weights are averaged."""
        end = len(self.text) if behind is None else behind
        edges = np.unique(np.clip([first, end, *self.spans.ravel()], first, end))
        total, count = np.zeros(len(edges) + 1), np.zeros(len(edges) + 1)
        clipped = np.clip(self.spans, first, end)
        for side, sign in ((0, 1), (1, -1)):
            at = np.searchsorted(edges, clipped[:, side])
            np.add.at(total, at, sign * self.weight)
            np.add.at(count, at, sign)
        total, count = total.cumsum(), count.cumsum()
        most = float(np.abs(self.weight).max()) or 1.0
        found = []
        for i, (begin, stop) in enumerate(pairwise(edges.tolist())):
            weight = float(total[i] / count[i]) if count[i] > 0.5 else None
            share = max(0.0, weight or 0.0) / most
            shown = plain(self.text[begin:stop], keep="\n\t")
            found.append(Piece(shown, weight, min(share, 1.0)))
        return found

    def around_the_top(self) -> list[Piece]:
        """Return what a terminal has room for: the text around the top instance."""
        top = int(self.told.order()[0])
        middle = int(self.spans[top].mean())
        first = max(0, min(middle - _AROUND // 2, len(self.text) - _AROUND))
        return self.pieces(first, min(len(self.text), first + _AROUND))

    def top(self) -> list[tuple[float, str]]:
        """Return the weights and the beginnings of the instances with the most."""
        return [
            (float(self.weight[i]), self._line(*self.spans[i].tolist()))
            for i in self.told.order()[:_TOP]
        ]

    def _line(self, first: int, behind: int) -> str:
        return plain(shortened(" ".join(self.text[first:behind].split()), _SHOWN))

    def page(self) -> str:
        """Return a page of HTML: the text with its marks, classes, top instances."""
        told = self.told
        rows = zip(told.classes, told.p, told.candidates, strict=True)
        return render(
            "marked_text.html.j2",
            {
                "headline": plain(headline(told)),
                "number": counted(told.bag.n_instances, "instance"),
                "called": plain(self.name),
                "most": f"{self.weight.max():.3g}",
                "classes": [
                    (plain(name), f"{p:.3f}", bool(inside)) for name, p, inside in rows
                ],
                "label": None if told.label is None else plain(told.label),
                "top": [(f"{weight:.3g}", text) for weight, text in self.top()],
                "pieces": [
                    (
                        piece.text,
                        None if piece.weight is None else f"{piece.weight:.3g}",
                        f"{piece.share:.3f}",
                    )
                    for piece in self.pieces()
                ],
            },
        )
