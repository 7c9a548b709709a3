"""What ``mipl fit`` proposes where bags are large."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.cli.output import tell

_LARGE = 8192  # Instances, the largest number that "auto" tries.
_PROPOSED = 2048


class LargeBags:
    """A callback that, before training, names a way to see fewer instances.

    Only where some bag is large, and nobody said how many to draw.
    """

    def __reduce__(self) -> tuple[type[LargeBags], tuple[()]]:
        return LargeBags, ()

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be set up."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing is to be put away."""

    def on_fit_task_begin(
        self, estimator: Any, context: Any, *, X: Any = None, **_: Any
    ) -> None:
        """Look at the bags once, before the first epoch."""
        if context.parent is not None or not hasattr(estimator, "_with_draw_size"):
            return
        sizes = getattr(X, "sizes", np.zeros(1, dtype=np.int64))
        options = estimator._options()
        if sizes.max() <= _LARGE or options.instances_per_bag is not None:
            return
        every, some = int(sizes.sum()), int(np.minimum(sizes, _PROPOSED).sum())
        tell(
            "proposal",
            f"a bag has {sizes.max():,} instances; --set "
            f"training.instances_per_bag={_PROPOSED} sees {some:,} in place of "
            f"{every:,} per epoch, which takes about {some / every:.0%} of the time, "
            "and =auto chooses a number by held-out candidates.",
        )

    def on_fit_task_end(self, estimator: Any, context: Any, **_: Any) -> bool:
        """Never ask to stop."""
        return False
