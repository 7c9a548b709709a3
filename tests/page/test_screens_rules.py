"""Rules of the page: nothing can be markup, ids only, and quick commands."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from mipl.page import charts
from mipl.page.screen_list import SCREENS

PAGE = Path(__file__).parents[2] / "src/mipl/page"
# What takes text for markup or for a program, and where it may be called.
MARKUP = {
    *(
        "html",
        "markdown",
        "run_javascript",
        "add_head_html",
        "add_body_html",
        "mermaid",
    ),
    *(
        "mermaid",
        "add_css",
        "interactive_image",
        "iframe",
        "restructured_text",
        "add_sass",
    ),
}
ROOM = {"frame.py"}


def calls(tree: ast.AST) -> set[str]:
    return {
        ast.unparse(node.func).rpartition(".")[2]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }


def test_only_the_frame_writes_markup() -> None:
    found = {
        path.name: calls(ast.parse(path.read_text("utf-8"))) & MARKUP
        for path in PAGE.rglob("*.py")
        if path.name not in ROOM
    }
    assert {name: words for name, words in found.items() if words} == {}
    assert calls(ast.parse("ui.html(a); ui.label(b)")) & MARKUP == {"html"}


def test_text_in_charts_is_drawn_not_set_as_markup() -> None:
    for made in (
        charts.bars(["<b>"], [1], dark=False),
        charts.lines({"<b>": [(0, 1)]}, dark=True),
        charts.matrix(["<b>"], ["<i>"], [[1]], dark=False),
    ):
        assert made["tooltip"]["renderMode"] == "richText"


def test_addresses_have_ids_and_numbers_only() -> None:
    for screen in SCREENS:
        for part in screen.path.strip("/").split("/"):
            assert re.fullmatch(r"[a-z-]*|\{[a-z]+(:int)?\}", part), screen.path
        file = PAGE / "screens" / f"{screen.module.rpartition('.')[2]}.py"
        names = {
            node.name
            for node in ast.parse(file.read_text("utf-8")).body
            if isinstance(node, ast.AsyncFunctionDef)
        }
        assert "build" in names
    assert len({screen.path for screen in SCREENS}) == len(SCREENS)


def test_no_address_of_another_server_stands_in_the_page() -> None:
    for path in [*PAGE.rglob("*.py"), *PAGE.rglob("*.css")]:
        text = path.read_text("utf-8")
        for found in re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text):
            assert ".example" in found or "127.0.0.1" in found, (path.name, found)


def test_help_of_the_verb_loads_no_nicegui() -> None:
    program = (
        "import sys\nfrom mipl.cli.main import main\n"
        "try: main(['ui', '--help'])\nexcept SystemExit: pass\n"
        "print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "mipl.cli.ui" in loaded
    assert not {"nicegui", "numpy", "torch", "uvicorn"} & set(loaded)
