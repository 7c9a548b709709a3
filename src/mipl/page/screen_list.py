"""The screens: an address, a title and a file each, in the order of the menu."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Screen:
    """A row of the list.

    Attributes
    ----------
    name : str
    path : str
        The address; what stands in braces is an id, or with ``:int`` a number.
    title : str
    module : str
        Where its ``build`` is; loaded when the screen is first shown.
    menu : bool
        Whether it is reached from the header.
    """

    name: str
    path: str
    title: str
    module: str
    menu: bool = False


SCREENS = (
    Screen("home", "/", "Home", "mipl.page.screens.home", menu=True),
    Screen("data", "/data", "Data", "mipl.page.screens.data_list", menu=True),
    Screen("one_data", "/data/{data}", "Data", "mipl.page.screens.one_data"),
    Screen("bags", "/data/{data}/bags", "Data", "mipl.page.screens.bag_list"),
    Screen("bag", "/data/{data}/bag/{bag:int}", "Data", "mipl.page.screens.bag"),
    Screen("import", "/import", "Data", "mipl.page.screens.data_import"),
    Screen(
        "import_draft",
        "/import/draft/{draft}",
        "Data",
        "mipl.page.screens.import_preview",
    ),
    Screen(
        "import_here",
        "/import/here/{source}",
        "Data",
        "mipl.page.screens.import_preview",
    ),
    Screen("train", "/train", "Train", "mipl.page.screens.train", menu=True),
    Screen("job", "/job/{job}", "Train", "mipl.page.screens.job"),
    Screen("compare", "/compare", "Compare", "mipl.page.screens.compare", menu=True),
    Screen("explain", "/explain", "Explain", "mipl.page.screens.explain", menu=True),
    Screen(
        "explain_bag",
        "/explain/{data}/{run}/{bag:int}",
        "Explain",
        "mipl.page.screens.explain_bag",
    ),
    Screen("review", "/review", "Review", "mipl.page.screens.review", menu=True),
    Screen(
        "review_queue",
        "/review/{data}/{run}",
        "Review",
        "mipl.page.screens.review_queue",
    ),
    Screen("predict", "/predict", "Predict", "mipl.page.screens.predict", menu=True),
    Screen(
        "predict_with", "/predict/{run}", "Predict", "mipl.page.screens.predict_with"
    ),
    Screen(
        "predicted_draft",
        "/predict/{run}/draft/{draft}",
        "Predict",
        "mipl.page.screens.predicted",
    ),
    Screen(
        "predicted", "/predict/{run}/{bags}", "Predict", "mipl.page.screens.predicted"
    ),
)
