"""What messages repeat of their input is cut; what they say themselves is not."""

from mipl.plain_text import quoted


def test_our_own_words_between_two_quoted_names_are_never_cut() -> None:
    told = f"bag 'p' has no file; {'x/ y ' * 50} is not NumPy's; bag 'q' is empty."
    assert quoted(told) == told
    assert "…" in quoted(f"unknown name '{'a b ' * 100}'; known: 'x'.")
