"""Products of matrices of any memory order, against NumPy's in float64."""

import numpy as np
import pytest
import torch

from mipl.nn.products import product


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(700, 38, 130), (1, 3, 2), (5, 1, 1)])
@pytest.mark.parametrize("columns", ["", "x", "w", "xw"])
@pytest.mark.parametrize("biased", [False, True])
def test_a_product_is_that_of_numpy(dtype, shape, columns, biased):
    n, d, q = shape
    rng = np.random.default_rng(0)
    x, w, b = (
        rng.normal(size=size).astype(str(dtype)[6:]) for size in ((n, d), (q, d), (q,))
    )
    given = [
        torch.from_numpy(a.T.copy()).T if name in columns else torch.from_numpy(a)
        for name, a in (("x", x), ("w", w))
    ]
    found = product(*given, torch.from_numpy(b) if biased else None)
    expected = x.astype(float) @ w.astype(float).T + (b if biased else 0)
    assert found.dtype == dtype and found.is_contiguous()
    tolerance = 1e-4 if dtype == torch.float32 else 1e-12
    np.testing.assert_allclose(found.numpy(), expected, atol=tolerance, rtol=0)


def test_the_same_numbers_give_the_same_bits():
    x, w = (torch.from_numpy(a) for a in _numbers())
    assert torch.equal(product(x, w), product(x, w))


def _numbers():
    rng = np.random.default_rng(1)
    return [rng.normal(size=size).astype(np.float32) for size in ((600, 64), (32, 64))]
