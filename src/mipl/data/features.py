"""What the numbers of an instance are: names of columns, or who extracted them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mipl.errors import MiplError

NAMES = "features"  # The fact under which a data set keeps the names.
_MOST = 5


@dataclass(frozen=True)
class Features:
    """What is known of the features, to be compared where a model meets other bags.

    Parameters
    ----------
    names : sequence of str, optional
        One for each feature, in their order.
    extractor : str, optional
        The network that made them.
    magnification : number, optional
        Of the slide that it has seen.

    Examples
    --------
    >>> learnt = Features(["height", "width"])
    >>> learnt.difference(Features(["height", "width"])) is None
    True
    >>> learnt.difference(Features()) is None  # Nothing is known of these.
    True
    """

    names: Sequence[str] | None = None
    extractor: str | None = None
    magnification: float | None = None

    def __post_init__(self) -> None:
        if self.names is None:
            return
        if isinstance(self.names, str) or not all(
            isinstance(name, str) for name in self.names
        ):
            raise MiplError(f"names of features must be texts; got {self.names!r:.80}.")
        object.__setattr__(self, "names", tuple(map(str, self.names)))

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any], n_features: int) -> Features | None:
        """Read what a data set's facts tell; they may come from any file."""
        names = facts.get(NAMES)
        if not isinstance(names, (list, tuple)) or len(names) != n_features:
            names = None
        elif not all(isinstance(name, str) for name in names):
            names = None
        extractor, level = facts.get("extractor"), facts.get("magnification")
        found = cls(
            names,
            extractor if isinstance(extractor, str) else None,
            level if isinstance(level, (int, float)) else None,
        )
        return None if found == cls() else found

    @classmethod
    def of_frames(cls, data: Any) -> Features | None:
        """Take the names of a data frame's columns, or of a list of frames, all alike.

        As scikit-learn does, names count where all of them are texts.
        """
        listed = isinstance(data, (list, tuple)) and len(data)
        frames = list(data) if listed else [data]
        names = [_columns(frame) for frame in frames]
        for bag, own in enumerate(names):
            if own is None or names[0] is None:
                return None
            difference = cls(names[0]).difference(cls(own))
            if difference is not None:
                raise MiplError(f"columns of bag {bag} are unlike bag 0: {difference}")
        return cls(names[0])

    def facts(self) -> dict[str, Any]:
        """Return what a data set keeps among its facts."""
        known = {
            NAMES: None if self.names is None else list(self.names),
            "extractor": self.extractor,
            "magnification": self.magnification,
        }
        return {name: value for name, value in known.items() if value is not None}

    def difference(self, given: Features) -> str | None:
        """Tell how other features differ from these; None where nothing known does.

        Names must be the same in the same order, as scikit-learn asks it.

        Examples
        --------
        >>> print(Features(["a", "b"]).difference(Features(["b", "a"])))
        The feature names should match those that were passed during fit: they are in \
another order, 'b' where 'a' was; put them in the order of fit.
        """
        if self.names is not None and given.names is not None:
            if self.names != given.names:
                return _names_differ(self.names, given.names)
        for what in ("extractor", "magnification"):
            own, other = getattr(self, what), getattr(given, what)
            if own is not None and other is not None and own != other:
                return (
                    f"The {what} of the features should be that of fit, {own!r}; it is "
                    f"{other!r}: extract them as those were."
                )
        return None


def _names_differ(own: Sequence[str], given: Sequence[str]) -> str:
    head = "The feature names should match those that were passed during fit: "
    unseen = [name for name in given if name not in own]
    missing = [name for name in own if name not in given]
    if not unseen and not missing and len(own) == len(given):
        one, other = next((a, b) for a, b in zip(own, given, strict=True) if a != b)
        return (
            f"{head}they are in another order, {other!r} where {one!r} was; put them "
            "in the order of fit."
        )
    parts = [
        f"{what} {', '.join(names[:_MOST])}{', ...' if len(names) > _MOST else ''}"
        for what, names in (("unseen at fit time:", unseen), ("now missing:", missing))
        if names
    ]
    return f"{head}{'; '.join(parts) or 'a name is there twice'}."


def _columns(frame: Any) -> tuple[str, ...] | None:
    columns = getattr(frame, "columns", None)
    if columns is None or getattr(frame, "ndim", 2) != 2:
        return None
    names = tuple(columns)
    return names if names and all(isinstance(name, str) for name in names) else None
