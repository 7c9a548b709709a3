"""sival-mipl: the SIVAL pictures keep their own bags; only false labels are added."""

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.datasets.request import Request

_KEYS = ("X", "offsets", "bag_labels", "class_names")


def build(request: Request) -> Dataset:
    """Read the 25 classes of pictures; what the source lacks is not padded."""
    x, offsets, labels, names = request.arrays("sival.npz", *_KEYS)
    bags = Bags(x, offsets)
    small = int(bags.sizes.argmin())
    return request.labelled(
        bags,
        names[labels],
        names,
        gaps=f"{len(bags)} bags and {bags.n_instances:,} instances instead of the "
        f"published 1500 and 47,414, and bag {small} ({names[labels[small]]}) has only "
        f"{bags.sizes[small]} instances: rows are missing in the source",
    )
