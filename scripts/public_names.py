"""Print what type checkers see of ``import mipl``: every public name and its module.

``make names`` writes it to ``src/mipl/__init__.pyi``.
"""

import mipl

HEAD = '"""Public names, for type checkers; written by ``make names``."""\n\n'


def stub() -> str:
    """Return the text of ``mipl/__init__.pyi``."""
    found = sorted((home, name) for name, home in mipl._homes().items())
    lines = [f"from {home} import {name} as {name}\n" for home, name in found]
    return HEAD + "".join(lines) + "\n__version__: str\n__all__: list[str]\n"


if __name__ == "__main__":
    print(stub(), end="")
