"""Tables in narrow terminals: numbers and short names stay whole, nothing is lost."""

import pytest
from rich.console import Console

from mipl.cli.output import table

NAMES = ["a", "oak", "a_class_whose_name_is_longer_than_any_terminal_is", "two w"]
ROWS = [[name, "0.373", "0.264 to 0.493"] for name in NAMES]


@pytest.mark.parametrize("width", [40, 80])
def test_numbers_are_never_broken_and_long_names_are_folded(width):
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(table(["figure", "", "95% interval"], ROWS))
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= width
    text = captured.get()
    assert text.count("0.373") == text.count("0.264") == text.count("0.493") == 4
    together = "".join(text.split())
    for name in NAMES:
        rest = iter(together)
        assert all(letter in rest for letter in name if letter != " ")
