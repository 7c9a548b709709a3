"""Units of text: offsets that give back their words, nothing lost, nothing twice."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl.text import spans

TEXTS = st.text(alphabet="ab AB.!?\n\t\"'(。é", max_size=120)


@given(TEXTS)
def test_sentences_hold_every_word_once_and_in_order(text):
    found = spans.sentences(text)
    letters = "".join("".join(text[a:b].split()) for a, b in found)
    assert letters == "".join(text.split())
    assert all(a < b for a, b in found)
    assert all(one[1] <= two[0] for one, two in pairwise(found))
    assert all(text[a:b] == text[a:b].strip() for a, b in found)


@given(TEXTS, st.integers(1, 9))
def test_passages_are_sentences_of_one_paragraph_in_a_row(text, length):
    found = spans.passages(text, length)
    letters = "".join("".join(text[a:b].split()) for a, b in found)
    assert letters == "".join(text.split())
    ends = {b for _, b in spans.sentences(text)}
    for a, b in found:
        assert b in ends
        inside = [s for s in spans.sentences(text) if a <= s[0] and s[1] <= b]
        n = sum(len(spans.words(text, one)) for one in inside)
        assert n <= length or len(inside) == 1
        assert any(p[0] <= a and b <= p[1] for p in spans.paragraphs(text))


@given(TEXTS, st.integers(1, 6), st.integers(1, 6))
def test_windows_are_those_of_a_plain_count(text, length, step):
    step = min(step, length)
    words = text.split()
    found = [text[a:b].split() for a, b in spans.windows(text, length, step)]
    expected = [words[i : i + length] for i in range(0, len(words), step)]
    whole = [one for one in expected if len(one) == length]
    if len(words) <= length:
        assert found == ([words] if words else [])
    else:
        assert found[: len(whole)] == whole
        assert found[-1] == words[-length:] and len(found) <= len(whole) + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He came. She left!", ["He came.", "She left!"]),
        ("Dr. No of St. Ives, e.g. Here.", ["Dr. No of St. Ives, e.g. Here."]),
        ("It costs 3.50 now. Two", ["It costs 3.50 now.", "Two"]),
        ("J. S. Bach wrote. It is.", ["J. S. Bach wrote.", "It is."]),
        ('"Go!" He went.', ['"Go!"', "He went."]),
        ("a title\n\nA line.", ["a title", "A line."]),
        ("see mipl.text for it. ok", ["see mipl.text for it. ok"]),
        ("雨。雪！", ["雨。", "雪！"]),
        ("Wait... What?", ["Wait...", "What?"]),
        ("  \n ", []),
    ],
)
def test_sentences_as_people_see_them(text, expected):
    assert [text[a:b] for a, b in spans.sentences(text)] == expected


def test_a_long_text_takes_time_in_proportion():
    text = "The wren sings e.g. Here it is. " * 20_000
    assert len(spans.sentences(text)) == 20_000
