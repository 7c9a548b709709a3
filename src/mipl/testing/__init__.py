"""For authors of new methods: checks of the contract, and golden numbers.

Hypothesis strategies stand in ``mipl.testing.strategies``, which needs hypothesis.
"""

from mipl.testing.checks import CHECKS, check_bag_classifier
from mipl.testing.replay import replay

__all__ = ["CHECKS", "check_bag_classifier", "replay"]
