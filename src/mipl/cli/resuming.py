"""Commands that are interrupted: how to go on with them is told."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer

from mipl.cli.output import tell

TERMINATED = 128 + signal.SIGTERM


@contextmanager
def stoppable(
    context: typer.Context, kept: Path, again: str = " --resume"
) -> Iterator[None]:
    """Tell how to go on with what is interrupted, where its state was kept."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if kept.exists():
            tell("interrupted", f"go on with: {command(context)}{again}")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


def command(context: typer.Context) -> str:
    """Return the command line of a command that is running, without --resume."""
    from mipl.training.distributed import world_size

    words = context.command_path.split()
    if world_size() > 1:
        here = os.environ.get("LOCAL_WORLD_SIZE", "1")
        launch = f"torchrun --nproc-per-node {here} -m mipl.cli.main"
        words = [*launch.split(), *words[1:]]
    options: list[str] = []
    for parameter in context.command.params:
        value: Any = context.params.get(str(parameter.name))
        if parameter.name == "resume" or value is None or value is False:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        if parameter.param_type_name == "argument":
            words += map(str, values)
        elif value is True:
            options.append(parameter.opts[0])
        else:
            options += [part for v in values for part in (parameter.opts[0], str(v))]
    return shlex.join([*words, *options])
