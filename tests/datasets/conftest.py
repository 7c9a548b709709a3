import gzip
import struct

import numpy as np
import pytest


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A machine without raw files or built sets."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "MIPL_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delenv("MIPL_DATA", raising=False)
    return tmp_path


@pytest.fixture
def write_idx():
    """Write an array of bytes as an idx file, plain or compressed."""

    def write(path, array):
        array = np.asarray(array, np.uint8)
        header = bytes([0, 0, 8, array.ndim]) + struct.pack(
            f">{array.ndim}I", *array.shape
        )
        content = header + array.tobytes()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)

    return write
