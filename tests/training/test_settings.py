"""Torch's global settings inside and after a call."""

import pytest
import torch

from mipl.training.settings import torch_settings


def state():
    return (
        torch.get_num_threads(),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
        torch.is_grad_enabled(),
    )


@pytest.fixture
def unusual():
    """The settings of a caller who has changed them all."""
    before = state()
    torch.set_num_threads(2)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    yield
    threads, dtype, deterministic, warn_only, fills, _ = before
    torch.set_num_threads(threads)
    torch.set_default_dtype(dtype)
    torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
    torch.utils.deterministic.fill_uninitialized_memory = fills


def test_they_hold_inside_and_are_put_back(unusual):
    before = state()
    with torch.no_grad():
        with torch_settings(1):
            assert state() == (1, torch.float32, True, False, False, True)
        assert not torch.is_grad_enabled()
    assert state() == before


def test_they_are_put_back_after_a_failure(unusual):
    before = state()
    with pytest.raises(RuntimeError), torch_settings(1):
        raise RuntimeError
    assert state() == before


def test_gradients_flow_even_inside_inference_mode():
    with torch.inference_mode(), torch_settings(1):
        x = torch.ones(1, requires_grad=True)
        (x * x).backward()
    assert x.grad.tolist() == [2.0]
