"""TF-IDF recomputed by plain loops; kept as a text that is checked when read."""

import math
import zlib
from base64 import b85decode, b85encode

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer

from mipl.errors import BadFile, MiplError
from mipl.text.tfidf import TfIdf

TEXTS = [
    "the wren sings", "the owl hoots and hoots", "a wren and an owl", "the the wren",
    "owl hoots at the wren", "it is dark",
]  # fmt: skip


def learnt(d=3, least=1, texts=TEXTS, hashes=1 << 12):
    return TfIdf.learnt([texts[:2], texts[2:]], d, hashes, 1, least, 0)


def bucket(word):
    hashed = HashingVectorizer(n_features=1 << 12, norm=None, alternate_sign=False)
    return int(hashed.transform([word]).indices[0])


def test_weights_are_those_of_plain_loops():
    words = sorted({w for text in TEXTS for w in text.split() if len(w) > 1})
    assert len({bucket(w) for w in words}) == len(words)  # No two share a hash.
    rows = []
    for text in TEXTS:
        row = []
        for w in words:
            n = text.split().count(w)
            df = sum(w in other.split() for other in TEXTS)
            idf = math.log((1 + len(TEXTS)) / (1 + df)) + 1
            row.append((1 + math.log(n)) * idf if n else 0.0)
        norm = math.sqrt(sum(x * x for x in row)) or 1.0
        rows.append([x / norm for x in row])
    expected = np.array(rows)
    _, _, directions = np.linalg.svd(expected, full_matrices=False)
    found = learnt()
    order = [found.used.tolist().index(bucket(w)) for w in words]
    ours = found.directions.astype(float)[:, order]
    np.testing.assert_allclose(np.abs(ours @ directions[:3].T), np.eye(3), atol=5e-3)
    np.testing.assert_allclose(found(TEXTS), expected @ ours.T, atol=2e-3)


def test_what_is_read_encodes_to_the_same_bits():
    one = learnt()
    other = TfIdf.of_text(one.as_text())
    assert other.fingerprint() == one.fingerprint()
    np.testing.assert_array_equal(one(TEXTS), other(TEXTS))
    np.testing.assert_array_equal(one(TEXTS)[2:3], other(TEXTS[2:3]))
    assert learnt().as_text() == one.as_text() != learnt(d=2).as_text()


def test_rare_words_are_not_looked_at_and_unknown_ones_say_nothing():
    found = learnt(least=3)
    kept = {bucket(w) for w in ("the", "wren", "owl")}
    assert set(found.used.tolist()) == kept
    assert not found(["zebra quagga"]).any()
    with pytest.raises(MiplError, match=r"no word occurs in 9 of 6 instances"):
        learnt(least=9)


@pytest.mark.parametrize("rows", [1, 2, 40])
def test_there_are_no_more_dimensions_than_can_be(rows):
    texts = (TEXTS * 8)[: max(rows, 3)] if rows > 2 else [*TEXTS[:rows], ""]
    found = TfIdf.learnt([texts], 64, 1 << 12, 1, 1, 0)
    assert np.isfinite(found(texts)).all()
    assert len(found.directions) <= min(64, len(found.used), len(texts))


def spoilt():
    text = learnt().as_text()
    raw = zlib.decompress(b85decode(text))
    yield text[:-10]
    yield "nothing"
    yield None
    yield b85encode(zlib.compress(raw[:-2])).decode()
    yield b85encode(zlib.compress(raw + b"xx")).decode()
    yield b85encode(zlib.compress(b"x" + raw)).decode()
    yield b85encode(zlib.compress(bytes(200_000_000))).decode()
    head = len(b"mipl tf-idf 1\n")
    for at, value in ((8, 2**31 - 1), (8, -5), (12, 0), (16, -1), (16, 2**30)):
        wrong = bytearray(raw)
        wrong[head + at : head + at + 4] = value.to_bytes(4, "little", signed=True)
        yield b85encode(zlib.compress(bytes(wrong))).decode()
    wrong = bytearray(raw)
    wrong[-2:] = np.array([np.nan], "<f2").tobytes()
    yield b85encode(zlib.compress(bytes(wrong))).decode()


@pytest.mark.parametrize("text", list(spoilt()))
def test_what_is_damaged_is_told(text):
    with pytest.raises(BadFile, match="learnt is damaged; make the bags again"):
        TfIdf.of_text(text)
