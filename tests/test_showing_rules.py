"""Who shows text: only through the gates of ``mipl.plain_text`` and their rooms."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "mipl"

# Where each way of showing text has its gate.
ROOMS = {
    "print": set(),
    "echo": {"cli/output.py", "cli/main.py", "cli/methods.py"},
    "Console": {"reports/terminal.py"},  # Into a text, not a terminal.
    "GatedConsole": {"cli/output.py"},
    "from_markup": set(),
    "from_ansi": set(),
    "savefig": {"reports/plots.py"},
    "Environment": {"reports/html.py", "methods/saving/model_card.py"},
    "Markup": {"reports/demo_page.py", "reports/html.py", "reports/results_html.py"},
    "showwarning": set(),
}
WRITES = {"sys.stdout.write", "sys.stderr.write", "os.system"}


def ways_round(tree: ast.AST, name: str):
    """Give what shows text past its gate."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        whole = ast.unparse(node.func)
        last = whole.rpartition(".")[2]
        if last == "print" and whole not in ("print", "rich.print"):
            # Of a console, which passes the gate.
            if whole not in (
                "console.print",
                "target.print",
                "console().print",
                "console(stderr=True).print",
                "progress.console.print",
            ):
                yield whole
        elif last in ROOMS and name not in ROOMS[last]:
            yield whole
        elif whole in WRITES:
            yield whole
        elif last in ("TextColumn",) and "markup=False" not in ast.unparse(node):
            if ast.unparse(node).count("{task"):
                yield ast.unparse(node)
        elif (
            last in ("add_column", "Text")
            and node.args
            and not shown_plain(node.args[0])
        ):
            yield ast.unparse(node)


def shown_plain(text: ast.expr) -> bool:
    """Tell whether a text is our own, or has passed the gate."""
    if isinstance(text, ast.Constant):
        return True
    if isinstance(text, ast.JoinedStr):
        parts = [p.value for p in text.values if isinstance(p, ast.FormattedValue)]
        return all(map(shown_plain, parts))
    return isinstance(text, ast.Call) and ast.unparse(text.func) in ("plain", "Text")


# Columns of tables without lines are made of names of our own, or pass as ``Text``.
OURS = {
    "cli/output.py": {
        "grid.add_column(name, overflow='fold', min_width=min(least, _WORD))"
    }
}
OURS["__main__.py"] = {"print"}  # Of a package that is missing: our own words.
OURS["cli/data_views.py"] = {
    "Text(n, 'dim')",
    "Text('\\n'.join(told.histogram()))",
}


def test_nobody_shows_text_past_the_gates():
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        ways = [
            w
            for w in ways_round(ast.parse(file.read_text()), name)
            if w not in OURS.get(name, ())
        ]
        if ways and not name.startswith("testing/"):
            found[name] = ways
    assert found == {}


def test_the_walk_sees_what_goes_round():
    text = (
        "print(a)\nrich.print(a)\nText(a)\nText(plain(a))\nsys.stdout.write(a)\n"
        "TextColumn('{task.a}')\nfigure.savefig(a)\nText.from_markup(a)\nText('a')\n"
    )
    assert len(list(ways_round(ast.parse(text), "x.py"))) == 7
