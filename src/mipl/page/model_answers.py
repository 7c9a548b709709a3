"""What a model of the workspace says of a data set, kept until either changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.files import stamp
from mipl.page.bag_filter import in_columns_of
from mipl.page.library import Library
from mipl.page.workspace import Place
from mipl.runs.run_files import RUN


def probabilities(library: Library, run: Place, data: Place) -> npt.NDArray[np.float64]:
    """Return the probabilities of all bags (m, k), in the columns of the data.

    A model that cannot be asked about these bags refuses with its sentence.
    """

    def ask() -> npt.NDArray[np.float64]:
        model: Any = library.model(run).model
        bags = library.dataset(data)
        return in_columns_of(bags, model.predict_proba(bags.bags), model.classes_)

    what = f"answers of {run.id} {stamp(run.path / RUN)}"
    return library.kept(what, data, ask)
