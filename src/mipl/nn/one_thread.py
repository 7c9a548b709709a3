"""One thread for linear algebra: several would add up in any order."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  So that its libraries are found.
import sklearn.cluster  # noqa: F401
from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Keep BLAS and OpenMP to one thread inside, for the same bits everywhere.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    found: AbstractContextManager[Any] = _controller().limit(limits=1)
    return found


@cache
def _controller() -> ThreadpoolController:
    """Look for the libraries once: it takes as long as a small fit."""
    return ThreadpoolController()
