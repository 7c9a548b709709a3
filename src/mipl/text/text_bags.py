"""What the generators of documents share: units of text, and how they are encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from mipl.errors import BadType, MiplError, unknown
from mipl.generators.bag_generator import BagGenerator
from mipl.generators.conversion import Progress
from mipl.generators.encoding import Encoder, check_kept, text_encoder_of
from mipl.generators.instance_bag import InstanceBag
from mipl.generators.item import Item, items_of
from mipl.parameters import anything, integer
from mipl.text.documents import Document
from mipl.text.spans import Span
from mipl.text.tfidf import TfIdf

PLACES = ("from", "to")
BUILT_IN = "tfidf"
_LEARNT = "learnt"  # The entry of the facts that holds what was learnt.


class TextBags(BagGenerator, kw_only=True):
    """A transformer: documents -> ``Bags``; a subclass says what an instance is.

    Give a list of texts (str) and paths (Path), a folder of text files in UTF-8, or a
    table (CSV, Parquet, Excel, JSON lines) with columns ``bag_id`` and ``text``.
    ``coords`` are the first letter of an instance and the one behind its last.

    With the built-in encoder there is something to learn: ``fit`` it on the documents
    that a model learns from, or call ``fit_transform``.
    """

    item: ClassVar[type[Item]] = Document
    place_names: ClassVar[tuple[str, ...]] = PLACES
    n_places: ClassVar[int] = 2

    encoder: str | Path | Callable[..., Any] = anything(
        "What turns texts into features: tfidf (hashed TF-IDF with truncated SVD), an "
        "ONNX file that takes strings, or a function of a list of texts.",
        "str, path or callable",
        default=BUILT_IN,
    )
    dimensions: int = integer(
        "Features of tfidf, at most.", default=64, at_least=1, at_most=1024
    )
    hashes: int = integer(
        "Hashes of words that tfidf tells apart.",
        default=1 << 16,
        at_least=16,
        at_most=1 << 20,
    )
    ngrams: int = integer(
        "Words in a row that tfidf counts as one as well.",
        default=1,
        at_least=1,
        at_most=5,
    )
    least: int = integer(
        "Instances in which tfidf must have seen a word.", default=2, at_least=1
    )
    seed: int = integer("Of the SVD.", default=0, at_least=0)

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if isinstance(self.encoder, str) and self.encoder != BUILT_IN:
            if Path(self.encoder).suffix.lower() != ".onnx":
                raise unknown("encoder", self.encoder, [BUILT_IN, "FILE.onnx"])
        elif not isinstance(self.encoder, (str, Path)) and not callable(self.encoder):
            raise BadType(
                "encoder must be tfidf, an ONNX file or a function; got "
                f"{type(self.encoder).__name__}."
            )

    def spans(self, text: str) -> list[Span]:
        """Return where the instances of a text begin and end, in letters."""
        raise NotImplementedError

    def items(self, X: Any) -> list[Any]:
        """Return the documents: a list has texts (str) and paths (Path)."""
        if isinstance(X, (str, Path)):
            return items_of(Document, [X])
        if isinstance(X, Sequence):
            X = [
                Document.of_memory(one, place) if isinstance(one, str) else one
                for place, one in enumerate(X)
            ]
        return items_of(Document, X)

    def passes(self) -> int:
        """Return how often all documents are read: tfidf learns of them first."""
        return 2 if self._built_in() else 1

    def learn(self, items: Sequence[Item], progress: Progress | None = None) -> None:
        """Learn what tfidf needs of documents; those that cannot be read teach nothing.

        What is wrong with them is told when they are converted.
        """
        if not self._built_in():
            return
        self.tfidf_ = TfIdf.learnt(
            self._units(items, progress),
            int(self.dimensions),
            int(self.hashes),
            int(self.ngrams),
            int(self.least),
            int(self.seed),
        )

    def _units(
        self, items: Sequence[Item], progress: Progress | None
    ) -> Iterator[list[str]]:
        some = False
        for done, item in enumerate(items, 1):
            try:
                text = item.content()
            except MiplError:
                continue
            if found := [text[first:behind] for first, behind in self.spans(text)]:
                some = True
                yield found
            if progress is not None:
                progress(done, len(items))
        if not some:  # What is wrong with each is told.
            for item in items:
                item.check()
            raise MiplError("the documents hold no words; give others.")

    def instances(self, text: str) -> InstanceBag:
        """Return the units of one document."""
        spans = self.spans(text)
        if not spans:
            raise MiplError("holds no words; leave it out.")
        features = self._encoder()([text[first:behind] for first, behind in spans])
        if not np.isfinite(features).all():
            raise BadType(
                "the encoder gave features that are NaN or infinite; check it."
            )
        return InstanceBag(features, np.asarray(spans, np.float32))

    def settings(self) -> dict[str, Any]:
        """Return what the instances depend on, for the keys of finished documents."""
        given = super().settings()
        if self._built_in():
            given[_LEARNT] = self._encoder().fingerprint()
        else:
            given["encoder"] = self._encoder().fingerprint()
        return given

    def facts(self) -> dict[str, Any]:
        """Return what a data set tells of the generator, and all that it has learnt."""
        told = super().facts()
        if self._built_in():
            told[_LEARNT] = self._tfidf().as_text()
        return told

    @classmethod
    def of_facts(cls, told: Mapping[str, Any]) -> Self:
        """Build the generator that a data set tells of."""
        return super().of_facts(told).learnt_from(told)

    def learnt_from(self, told: Mapping[str, Any]) -> Self:
        """Take over what the generator of a model's training has learnt."""
        if self._built_in() and _LEARNT in told:
            self.tfidf_ = TfIdf.of_text(told[_LEARNT])
        return self

    def rebuilt_from_facts(self) -> bool:
        """Tell whether no encoder is needed that facts do not hold."""
        return self._built_in()

    def store(self, finished: str | Path | None) -> str | Path | None:
        """Return the file of finished documents; a function must tell its changes."""
        if not self._built_in():
            check_kept(self.encoder, finished)
        return finished

    def _built_in(self) -> bool:
        return isinstance(self.encoder, str) and self.encoder == BUILT_IN

    def _encoder(self) -> Encoder:
        return self._tfidf() if self._built_in() else text_encoder_of(self.encoder)

    def _tfidf(self) -> TfIdf:
        found: TfIdf | None = getattr(self, "tfidf_", None)
        if found is None:
            raise MiplError(
                f"{type(self).__name__} has learnt no words yet; call fit with the "
                "documents of the training, or fit_transform."
            )
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return not self._built_in() or hasattr(self, "tfidf_")
