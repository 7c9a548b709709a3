"""Torch's global settings, changed for the time of a call and put back."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.utils import deterministic as torch_deterministic

from mipl.parameters import THREADS, Integer


@contextmanager
def torch_settings(threads: int) -> Iterator[None]:
    """Use this many threads, deterministic algorithms, float32 and gradients inside."""
    # Also of a model from a file: OpenMP crashes where it cannot have so many.
    Integer(at_least=1, bearable=THREADS).check("threads", threads)
    before, dtype = torch.get_num_threads(), torch.get_default_dtype()
    deterministic = torch.get_deterministic_debug_mode()
    fills = torch_deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    try:
        torch.set_num_threads(threads)
        torch.set_default_dtype(torch.float32)
        # use_deterministic_algorithms(True) does the same, but first loads torch's
        # compiler, which takes a second.
        torch.set_deterministic_debug_mode("error")
        # Filling every new tensor with NaN costs a tenth of a step and finds nothing.
        torch_deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_default_dtype(dtype)
        torch.set_deterministic_debug_mode(deterministic)
        torch_deterministic.fill_uninitialized_memory = fills  # type: ignore[attr-defined]
