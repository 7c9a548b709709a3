"""Two names in a folder exchange what they stand for, in one step of the system."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_HERE = -100  # AT_FDCWD: paths are taken as any other call takes them.
_EXCHANGE, _SWAP = 2, 2  # Linux: RENAME_EXCHANGE; macOS: RENAME_SWAP.
# What a system or a file system says that cannot do it; all else is a failure.
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def swap(first: Path, second: Path) -> bool:
    """Exchange two paths of one file system; False where the system cannot."""
    call = _call()
    if call is None or call(os.fsencode(first), os.fsencode(second)) == 0:
        return call is not None
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(first))


def _call() -> Callable[[bytes, bytes], int] | None:
    system: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    if sys.platform == "linux" and hasattr(system, "renameat2"):
        return lambda a, b: int(system.renameat2(_HERE, a, _HERE, b, _EXCHANGE))
    if sys.platform == "darwin" and hasattr(system, "renamex_np"):
        return lambda a, b: int(system.renamex_np(a, b, _SWAP))
    return None
