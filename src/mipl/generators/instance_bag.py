"""The instances of one picture, recording or document, and where they lie in it."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class InstanceBag(NamedTuple):
    """The instances of one item, a row each.

    What the columns of ``places`` are depends on the item: x0, y0, x1, y1 in pixels of
    a picture; start, end, lowest and highest frequency of a recording, in seconds and
    hertz; the first letter of a document's passage and the one behind its last.
    """

    features: npt.NDArray[np.float32]  # (n, d)
    places: npt.NDArray[np.float32]  # (n, c)

    @property
    def boxes(self) -> npt.NDArray[np.float32]:
        """The places, as those of a picture are called."""
        return self.places
