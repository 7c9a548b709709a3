import numpy as np
import pytest

from mipl.reports.number_text import number, spread


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (-0.0004, "0.000"), (1, "1.000"), (None, "-"), (0.9996, "1.000")],
)
def test_numbers(value, text) -> None:
    assert number(value) == text


def test_spread_is_the_sample_standard_deviation() -> None:
    values = [0.1, 0.4, 0.4]
    assert spread(values) == f"0.300 ± {np.std(values, ddof=1):.3f}"
    assert spread([0.25, None], 2) == "0.25"
