"""Sentences of the library in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# What formats are written with; all else is how data are read or built.
_WRITING = ("dtype", "compression", "version", "layout")
# Arguments of Python that sentences name and that have flags in some commands only.
_READING = (
    "annotations", "annotators", "bag_id", "candidates", "classes", "coords",
    "features", "file", "group", "ids", "index", "label", "labels", "max_bytes",
    "partial_target", "rule", "slides", "split", "splits", "target", "unsure",
    "variable", "verify", "weights", "reduction",
)  # fmt: skip
_FLAG_BESIDE = re.compile(r"""\b(on_\w+)=(['"])skip\2 \((--[\w-]+)\)""")
_UNKNOWN = re.compile(
    r"\bunknown option '(\w+)';(?: did you mean '\w+'\?)? Known: (.+)\."
)
# What the library calls by other words: fields of a run, settings of the training.
_OF_RUN = re.compile(r"\b(\w+) of a run must\b")
_OF_TRAINING = re.compile(r"\b(\w+) of Training must\b")
_TRAINING = re.compile(r"\btraining__(\w+)")
_ARGUMENT = re.compile(
    r"""(?<![\w.'"\[-])(?<!--set )(?<!--write )([a-z_]+)=(True\b|'[^']*')?"""
)


def in_options(sentence: str, command: Any) -> str:
    """Return a sentence that names options, not the arguments of Python.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from mipl.cli.main import app
    >>> verb = get_command(app).commands["data"].commands["import"]
    >>> in_options("name it with bag_id=, or give index='x'.", verb)
    'name it with --bag-id, or give --set index=x.'
    >>> in_options("leave it out by on_bad='skip' (--skip-bad).", verb)
    'leave it out by --skip-bad.'
    >>> verb = get_command(app).commands["fit"]
    >>> in_options("it holds a run; give force=True to replace it.", verb)
    'it holds a run; give --force to replace it.'
    """
    flags = _flags(command)
    # Where a method has --set to itself, the data have a table of it.
    setting = "--set options." if "method" in flags else "--set "

    def named(match: re.Match[str]) -> str:
        name, value = match[1], (match[2] or "").strip("'")
        if name == "data_seed" and name not in flags:
            name = "seed"
        if name in flags:
            return flags[name] if value == "True" else f"{flags[name]} {value}".rstrip()
        if name in _WRITING and "writing" in flags:
            return f"--write {name}={value}"
        if name in _READING and "settings" in flags:
            return f"{setting}{name}={value}"
        return match[0]

    def beside(match: re.Match[str]) -> str:
        skips = "skip_bad" in flags or "settings" not in flags
        return match[3] if skips else f"{setting}{match[1]}=skip"

    def useless(match: re.Match[str]) -> str:
        if match[1] not in flags:
            return match[0]
        known = (flags.get(name, f"{setting}{name}=") for name in match[2].split(", "))
        return (
            f"{flags[match[1]]} is of no use for such data; known: {', '.join(known)}."
        )

    sentence = _FLAG_BESIDE.sub(beside, sentence)
    sentence = _UNKNOWN.sub(useless, sentence)
    sentence = _OF_RUN.sub(lambda m: f"{flags.get(m[1], m[1])} must", sentence)
    if "split" in flags:
        sentence = re.sub(r"^fold must be\b", "--split must be", sentence)
    if "settings" in flags:
        sentence = _TRAINING.sub(r"training.\1", sentence)
        sentence = _OF_TRAINING.sub(r"training.\1 must", sentence)
    return _ARGUMENT.sub(named, sentence)


def command_of(group: Any, words: list[str]) -> Any:
    """Return the command that the words of a command line call, as far as they do."""
    for word in words:
        inside: Mapping[str, Any] = getattr(group, "commands", {})
        if word in inside:
            group = inside[word]
        elif not word.startswith("-"):
            break
    usual = getattr(group, "usual", None)  # Of a group that is a verb itself.
    return group if usual is None else group.commands[usual]


def _flags(command: Any) -> dict[str, str]:
    return {
        str(one.name): one.opts[0]
        for one in getattr(command, "params", ())
        if one.param_type_name == "option"
    }
