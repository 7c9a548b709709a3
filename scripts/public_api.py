"""Print the public names of ``mipl`` with their signatures, a line each.

``make api`` writes it to ``tests/public_api.txt``, which a test holds: who changes what
users call changes that file on purpose, and writes a line in CHANGELOG.md.
"""

import inspect
from collections.abc import Iterator

import mipl


def lines() -> Iterator[str]:
    """Give each public name, and the public methods and properties of classes."""
    for name in sorted(mipl.__all__):
        found = getattr(mipl, name)
        yield f"{name}{_signature(found)}"
        if inspect.isclass(found):
            yield from (f"{name}.{line}" for line in _members(found))


def _members(kind: type) -> Iterator[str]:
    for name in sorted(dir(kind)):
        if name.startswith("_") or not _ours(kind, name):
            continue
        found = inspect.getattr_static(kind, name)
        call = getattr(found, "__func__", found)  # Of class methods, too.
        yield f"{name}{_signature(call) if callable(call) else ''}"


def _ours(kind: type, name: str) -> bool:
    """Tell whether a class of this library says what the name is."""
    home = next(one for one in kind.__mro__ if name in vars(one))
    return home.__module__.startswith("mipl")


def _signature(found: object) -> str:
    if not callable(found):
        return ""
    told = inspect.signature(found)
    bare = [one.replace(annotation=one.empty) for one in told.parameters.values()]
    return str(told.replace(parameters=bare, return_annotation=told.empty))


if __name__ == "__main__":
    print("\n".join(lines()))
