"""sival-mipl: the SIVAL pictures keep their own bags; only false labels are added."""

from mipl.data.dataset import Dataset
from mipl.datasets.published_table import RECORDS
from mipl.datasets.request import Request


def build(request: Request) -> Dataset:
    """Read the 25 classes of pictures; what the source lacks is not padded."""
    data = request.dataset("sival.npz")
    labels = data.classes[data.candidates.matrix.argmax(axis=1)]
    facts = {"gaps": gaps} if (gaps := _gaps(data)) else {}
    return request.labelled(data.bags, labels, data.classes, **facts)


def _gaps(data: Dataset) -> str:
    bags, record = data.bags, RECORDS["sival-mipl"]
    if (len(bags), bags.n_instances) == (record.bags, record.instances):
        return ""
    small = int(bags.sizes.argmin())
    return (
        f"{len(bags)} bags and {bags.n_instances:,} instances instead of the published "
        f"{record.bags} and {record.instances:,}; bag {small} has only "
        f"{bags.sizes[small]} instances: rows are missing in the source"
    )
