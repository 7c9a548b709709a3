"""``--with FILE.py``: a Python file of the user's own, which registers methods."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Annotated

import typer

Own = Annotated[
    list[Path] | None,
    typer.Option(
        "--with",
        metavar="FILE.py",
        help="Python of your own, run first: it calls mipl.register; repeatable.",
    ),
]


def run_own(files: Sequence[Path] | None) -> None:
    """Run files that the user has named: nothing else makes a file run.

    What stands under ``if __name__ == "__main__"`` does not; other files of the same
    folder can be imported.
    """
    from mipl.errors import MiplError
    from mipl.methods.catalogue.registered import registered

    for file in files or ():
        before = registered()
        _run(file)
        if registered() == before:
            raise MiplError(
                f"{file} registers no method; end it with "
                "mipl.register(MyMethod, id='my-method')."
            )


def given_again(files: Sequence[Path]) -> list[str]:
    """Return the words by which the next command is given the same files."""
    return [word for file in files for word in ("--with", str(file))]


def _run(file: Path) -> None:
    from mipl.errors import MiplError
    from mipl.files import existing_file

    path = existing_file(file).absolute()
    if path.suffix != ".py":
        raise MiplError(f"--with takes a file of Python, name.py; got {file.name!r}.")
    # A module of that name may be there: of Python, or of a folder searched before.
    name = path.stem if path.stem not in sys.modules else f"own_file_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise MiplError(f"{file} cannot be run: {_told(error, path)}.") from error
    _send_by_value(module)


def _told(error: BaseException, path: Path) -> str:
    """Return what went wrong in a file, and on which line of it."""
    lines = [
        one.lineno
        for one in extract_tb(error.__traceback__)
        if one.filename == str(path)
    ]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    what = " ".join(str(error).split()).rstrip(".")
    at = "" if line is None else f"line {line}: "
    return f"{at}{type(error).__name__}: {what}".rstrip(": ")


def _send_by_value(module: ModuleType) -> None:
    """Let workers get what the module defines: they cannot import it by its name."""
    for name in (
        "cloudpickle",
        "joblib.externals.cloudpickle",
    ):  # joblib < 1.6 has its own.
        with suppress(ImportError):
            import_module(name).register_pickle_by_value(module)
