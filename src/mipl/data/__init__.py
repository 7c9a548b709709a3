"""Containers of bags and candidate sets, splits, scaling and reduction."""

from mipl.data.bag_reduction import MaxMin, Mean
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.scaling import PerInstance
from mipl.data.splits import Split, ten_splits

__all__ = [
    "Bags",
    "Candidates",
    "Dataset",
    "MaxMin",
    "Mean",
    "PerInstance",
    "Split",
    "ten_splits",
]
