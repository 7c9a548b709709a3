"""Hashed TF-IDF with truncated SVD, whose learnt state is a text of its own."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer

from mipl.errors import BadFile, MiplError
from mipl.seeds import stream

Features = npt.NDArray[np.float32]  # (n, d)

_MOST_BYTES = 1 << 26
_FIRST = b"mipl tf-idf 1\n"
_HEAD = np.dtype([("hashes", "<i4"), ("ngrams", "<i4"), ("used", "<i4"), ("d", "<i4")])


@dataclass(frozen=True, eq=False)
class TfIdf:
    """Texts -> features (n, d): directions of the weighted counts of words.

    A word counts 1 + log of how often it occurs, times the logarithm of how rare it is;
    the counts of a text have length 1. Words are lower case, of two letters or more,
    and known by their hash alone.

    Attributes
    ----------
    hashes, ngrams : int
        How many hashes there are, and how many words in a row count as one as well.
    used : (u,)
        The hashes that were seen often enough.
    rarity : (u,)
        Their weights.
    directions : (d, u)
    """

    hashes: int
    ngrams: int
    used: npt.NDArray[np.int32]
    rarity: npt.NDArray[np.float32]
    directions: npt.NDArray[np.float16]

    @classmethod
    def learnt(
        cls,
        parts: Iterable[list[str]],
        dimensions: int,
        hashes: int,
        ngrams: int,
        least: int,
        seed: int,
    ) -> TfIdf:
        """Learn weights and directions of texts, given some at a time."""
        counts = vstack([_counts(texts, hashes, ngrams) for texts in parts]).tocsr()
        seen = np.bincount(counts.indices, minlength=hashes)
        used = np.flatnonzero(seen >= least).astype(np.int32)
        if not len(used):
            raise MiplError(
                f"no word occurs in {least} of {counts.shape[0]} instances of the "
                "documents; give more documents, or a lower least."
            )
        d = min(dimensions, len(used), counts.shape[0])
        if len(used) * d * 2 > _MOST_BYTES:
            raise MiplError(
                f"{d} dimensions of {len(used):,} words are too many to be kept with a "
                "model; give fewer dimensions or hashes, or a higher least."
            )
        rarity = np.log((1 + counts.shape[0]) / (1 + seen[used])) + 1
        weighted = _weighted(counts[:, used], rarity.astype(np.float32))
        random = int(stream(seed, "truncated SVD").integers(2**31))
        if d < min(weighted.shape):
            found = TruncatedSVD(d, random_state=random).fit(weighted).components_
        else:  # The randomised way needs more than it gives.
            found = np.linalg.svd(weighted.toarray(), full_matrices=False)[2][:d]
        return cls(
            hashes, ngrams, used, rarity.astype(np.float32), found.astype(np.float16)
        )

    def __call__(self, texts: list[str], /) -> Features:
        """Return the features of texts; of each the same in any company."""
        counts = _counts(texts, self.hashes, self.ngrams)[:, self.used]
        weighted = _weighted(counts, self.rarity)
        found: Features = weighted @ self.directions.T.astype(np.float32)
        return found

    def fingerprint(self) -> str:
        """Return a hash of all that was learnt."""
        return f"TF-IDF {sha256(self.as_bytes()).hexdigest()}"

    def as_bytes(self) -> bytes:
        """Return all of it, as it is kept."""
        sizes = (self.hashes, self.ngrams, len(self.used), len(self.directions))
        parts = (
            np.array([sizes], _HEAD).tobytes(),
            self.used.astype("<i4").tobytes(),
            self.rarity.astype("<f4").tobytes(),
            self.directions.astype("<f2").tobytes(),
        )
        return _FIRST + b"".join(parts)

    def as_text(self) -> str:
        """Return all of it as letters, for JSON."""
        return base64.b85encode(zlib.compress(self.as_bytes(), 6)).decode("ascii")

    @classmethod
    def of_text(cls, text: Any) -> TfIdf:
        """Read what ``as_text`` has written; refuse anything else."""
        try:
            unpacked = zlib.decompressobj()
            raw = unpacked.decompress(base64.b85decode(str(text)), 2 * _MOST_BYTES)
            body = raw[len(_FIRST) :]
            (head,) = np.frombuffer(body[: _HEAD.itemsize], _HEAD)
            hashes, ngrams, u, d = (int(value) for value in head)
            sizes = [4 * u, 4 * u, 2 * u * d]
            whole = not unpacked.unconsumed_tail and raw.startswith(_FIRST)
            if not whole or min(hashes, ngrams, u, d) < 1:
                raise ValueError
            if len(body) != _HEAD.itemsize + sum(sizes):
                raise ValueError
        except (ValueError, zlib.error):
            raise BadFile(
                "what a generator of documents has learnt is damaged; make the bags "
                "again."
            ) from None
        at = np.cumsum([_HEAD.itemsize, *sizes])
        used = np.frombuffer(body[at[0] : at[1]], "<i4").astype(np.int32)
        rarity = np.frombuffer(body[at[1] : at[2]], "<f4").astype(np.float32)
        directions = np.frombuffer(body[at[2] : at[3]], "<f2").reshape(d, u)
        good = np.isfinite(rarity).all() and np.isfinite(directions).all()
        if not good or used.min() < 0 or used.max() >= hashes:
            raise BadFile(
                "what a generator of documents has learnt is damaged; make the bags "
                "again."
            )
        return cls(hashes, ngrams, used, rarity, directions.astype(np.float16))


def _counts(texts: list[str], hashes: int, ngrams: int) -> Any:
    hashed = HashingVectorizer(
        n_features=hashes, ngram_range=(1, ngrams), norm=None, alternate_sign=False
    )
    return csr_array(hashed.transform(texts).astype(np.float32))


def _weighted(counts: Any, rarity: npt.NDArray[np.float32]) -> Any:
    """Return counts (n, u) as TF-IDF, rows of length 1."""
    rows = csr_array(counts, copy=True)
    rows.data = (1 + np.log(rows.data)) * rarity[rows.indices]
    squares = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.where(squares > 0, squares, 1), np.diff(rows.indptr))
    return rows.astype(np.float32)
