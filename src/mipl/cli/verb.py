"""Verb: a command that loses nothing that it is given."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

from mipl.errors import MiplError


class Verb(TyperCommand):
    """A command whose options of one value are refused where they are given twice.

    The parser would keep the last and drop the others without a word.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as any command does, once it is known that no value is lost."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(order).items():
            single = option.param_type_name == "option" and not option.multiple
            if times > 1 and single and not getattr(option, "is_flag", False):
                raise MiplError(
                    f"{option.opts[0]} takes one value and is given {times} times; "
                    "give it once."
                )
        return super().parse_args(ctx, args)
