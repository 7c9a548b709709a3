"""Rows that behave as if they lay on disk, for tests of what reads them."""

import numpy as np
import pytest


class RowsOnDisk:
    """Keeps the protocol of rows on disk; reading anything is counted."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows, self.reads = rows, 0
        self.shape, self.dtype = rows.shape, rows.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        self.reads += 1
        return self.rows[rows].copy()

    def select(self, starts: np.ndarray, stops: np.ndarray) -> "RowsOnDisk":
        runs = [self.rows[a:b] for a, b in zip(starts, stops, strict=True)]
        return RowsOnDisk(np.concatenate(runs))


@pytest.fixture
def rows_on_disk() -> type[RowsOnDisk]:
    return RowsOnDisk
