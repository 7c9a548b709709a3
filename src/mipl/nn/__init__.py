"""Parts of networks: segment operations, encoders, attention, heads."""

from mipl.nn.attention import Attention, GatedScore, MarginAttention
from mipl.nn.heads import SigmoidSoftmaxHead, SoftmaxHead
from mipl.nn.network import BagNetwork, Output
from mipl.nn.segments import Segments

__all__ = [
    "Attention",
    "BagNetwork",
    "GatedScore",
    "MarginAttention",
    "Output",
    "Segments",
    "SigmoidSoftmaxHead",
    "SoftmaxHead",
]
