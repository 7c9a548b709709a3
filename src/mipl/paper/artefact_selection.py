"""Selection: which part of a table or a figure is wanted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Selection:
    """Which part of an artefact is wanted; None leaves a choice to the artefact.

    Attributes
    ----------
    methods : registry ids
    data : names of data sets
    r : numbers of false labels
    splits : numbers of folds
    presets : names of readings of MIPLMA ("ours", "released", "paper")
        The first is compared with the other methods.
    epochs : int
        Of every method that trains in epochs: a quick look, not the paper's setting.
    paired : bool
        Whether t-tests compare methods split by split, or their results as two groups.
    """

    methods: tuple[str, ...] | None = None
    data: tuple[str, ...] | None = None
    r: tuple[int, ...] | None = None
    splits: tuple[int, ...] | None = None
    presets: tuple[str, ...] | None = None
    epochs: int | None = None
    paired: bool = True

    def keep(self, name: str, values: Collection[Any]) -> list[Any]:
        """Return those of an artefact's own values that were selected, in its order.

        Examples
        --------
        >>> Selection(r=(3, 1)).keep("r", [1, 2, 3]), Selection().keep("r", [1, 2])
        ([1, 3], [1, 2])
        """
        wanted = getattr(self, name)
        return [value for value in values if wanted is None or value in wanted]

    @property
    def options(self) -> str:
        """What ``mipl reproduce NAME`` is given to select the same.

        Examples
        --------
        >>> Selection(data=("sival-mipl",), r=(1, 3), epochs=5, paired=False).options
        '--data sival-mipl --r 1,3 --epochs 5 --unpaired'
        """
        named = {"method": self.methods, "data": self.data, "preset": self.presets}
        words = [f"--{name} {v}" for name, vs in named.items() for v in vs or ()]
        for name, numbers in (("r", self.r), ("splits", self.splits)):
            if numbers is not None:
                words.append(f"--{name} {','.join(map(str, numbers))}")
        if self.epochs is not None:
            words.append(f"--epochs {self.epochs}")
        return " ".join([*words, *([] if self.paired else ["--unpaired"])])
