"""What a ``BagLearner`` is put together from: attentions, heads, losses, updates.

Each part has a name, takes arguments of its own, and may be replaced by a function.
"""

from mipl.parts.attention_parts import (
    ATTENTIONS,
    AttentionPart,
    EvenWeights,
    SigmoidWeights,
    SoftmaxWeights,
)
from mipl.parts.label_updates import SCHEDULES, UPDATES, FallingMomentum, Momentum
from mipl.parts.loss_terms import (
    LOSSES,
    AttentionEntropy,
    CalibratableLoss,
    CandidateLoss,
    InhibitionLoss,
    LogLoss,
    MarginLoss,
    RepeatedLoss,
    SparsityLoss,
)

__all__ = [
    "ATTENTIONS",
    "LOSSES",
    "SCHEDULES",
    "UPDATES",
    "AttentionEntropy",
    "AttentionPart",
    "CalibratableLoss",
    "CandidateLoss",
    "EvenWeights",
    "FallingMomentum",
    "InhibitionLoss",
    "LogLoss",
    "MarginLoss",
    "Momentum",
    "RepeatedLoss",
    "SigmoidWeights",
    "SoftmaxWeights",
    "SparsityLoss",
]
