"""KeptLearners: those that are ready, in a checkpoint, while others are learnt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl import files
from mipl.errors import BadFile
from mipl.methods.bases.base import BagClassifier
from mipl.methods.saving.stored import Stored
from mipl.methods.wrappers.learners import learners_state, restored_learners
from mipl.training.checkpoint import Checkpoint, check_same, read
from mipl.training.sealed import seal, unseal


class KeptLearners:
    """Learners by the numbers of their classes, and the file that keeps them.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        Without one nothing is read or written. A learner is the least that is saved:
        ``every``, which counts epochs, is not used.
    facts : mapping
        All that decides the bits of the learners; a file of other facts is refused.
    estimator : BagClassifier
        What the learners are clones of.
    k : int
        Number of classes.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        facts: Mapping[str, Any],
        estimator: BagClassifier,
        k: int,
    ) -> None:
        self.models: dict[int, BagClassifier] = {}
        self._checkpoint, self._facts = checkpoint, dict(facts)
        if checkpoint is not None:
            files.clear_temporaries(checkpoint.path)
            if checkpoint.path.exists():
                self._read(checkpoint, estimator, k)

    def add(self, models: Mapping[int, BagClassifier]) -> None:
        """Keep more of them."""
        self.models |= models
        if self._checkpoint is not None:
            arrays, told = learners_state(self.models)
            content = seal(arrays, {**told, "fingerprint": self._facts})
            files.write_bytes(self._checkpoint.path, content)

    def _read(self, checkpoint: Checkpoint, estimator: BagClassifier, k: int) -> None:
        path = checkpoint.path
        arrays, told = unseal(path, read(path))
        try:
            stored = Stored(arrays, told)
            there = stored.fact("fingerprint", dict[str, Any])
            check_same(path, "the checkpoint of another run", there, self._facts)
            self.models = restored_learners(estimator, stored, k)
            stored.check_empty()
        except BadFile as error:
            raise BadFile(f"{path} is damaged: {error}") from None
