"""The one family of errors, and the one-sentence rule.

Every message says which thing, what it must be, what it was, and what to do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches

from mipl.plain_text import quoted, shortened

_MOST_KNOWN = 1500  # Letters of a list of known names.
_MOST_COMPARED = 2000  # Names; to find the nearest of more takes too long.


class MiplError(ValueError):
    """A mistake in the user's input, told in one sentence.

    Whatever it repeats of the input is cut to 200 letters.
    """

    def __init__(self, *details: object) -> None:
        super().__init__(*(quoted(d) if isinstance(d, str) else d for d in details))


class BadType(MiplError, TypeError):
    """A thing of the wrong kind; scikit-learn expects a ``TypeError`` here."""


class BadBags(MiplError):
    """Bags that all have the same fault; the sentence tells of the first.

    Attributes
    ----------
    fault : str
        A code of ``mipl.data.validate``.
    count : int
        How many bags have the fault.
    examples : tuple of str
        The names of the first few.
    """

    def __init__(
        self, message: str, fault: str, bags: Sequence[int], name: Callable[[int], str]
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.count = len(bags)
        self.examples = tuple(name(int(i)) for i in bags[:5])

    def __reduce__(self) -> tuple[object, ...]:
        return _same_error, (type(self), self.args, self.__dict__)


def _same_error(
    kind: type[BadBags], args: tuple[object, ...], state: dict[str, object]
) -> BadBags:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class BadFile(MiplError):
    """A file that is damaged, foreign, or claims absurd sizes."""


class Diverged(MiplError):
    """Training whose loss or parameters are no longer finite numbers.

    Attributes
    ----------
    runs : mapping of int to str
        Of runs that were fitted together: the sentence of each that diverged.
    """

    runs: Mapping[int, str] = {}


class MissingData(MiplError):
    """Raw files of a data set that are not on this machine."""


class MissingExtra(MiplError, ImportError):
    """An optional dependency that is not installed.

    Examples
    --------
    >>> raise MissingExtra.of("reading Parquet", "pyarrow", "tables")
    Traceback (most recent call last):
        ...
    mipl.errors.MissingExtra: reading Parquet needs pyarrow, which is not installed; \
install it with: pip install "mipl[tables]".
    """

    @classmethod
    def of(cls, what: str, package: str, extra: str) -> "MissingExtra":
        """Name the task, the package and the extra that brings it."""
        return cls(
            f"{what} needs {package}, which is not installed; "
            f'install it with: pip install "mipl[{extra}]".'
        )


def unknown(kind: str, name: object, known: Iterable[str]) -> MiplError:
    """Tell an unknown name, with the likeliest known one.

    Examples
    --------
    >>> print(unknown("method", "miplam", ["miplma", "demipl"]))
    unknown method 'miplam'; did you mean 'miplma'? Known: demipl, miplma.
    """
    names, name = sorted(map(str, known)), shortened(str(name))
    close = get_close_matches(name, names[:_MOST_COMPARED], n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    all_names = shortened(", ".join(names), _MOST_KNOWN)
    listed = f"Known: {all_names}" if names else "there are none"
    return MiplError(f"unknown {kind} {name!r}; {guess}{listed}.")


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "bag"), counted(2000, "bag"), counted(0, "class", "classes")
    ('1 bag', '2,000 bags', '0 classes')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
