"""Settings as a person writes them: NAME=VALUE."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mipl.errors import MiplError


def given_options(settings: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """Read ``name=value`` settings; a value is JSON where it can be, otherwise text.

    Examples
    --------
    >>> given_options(["overlap=0.2", "bag-size=[8, 12]", "labels=my.csv"])
    {'overlap': 0.2, 'bag_size': [8, 12], 'labels': 'my.csv'}
    """
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise MiplError(f"{flag} must be NAME=VALUE; got {setting!r}.")
        if name.replace("-", "_") in options:
            raise MiplError(f"{flag} {name} is given twice; give it once.")
        try:
            options[name.replace("-", "_")] = json.loads(value)
        except RecursionError:
            raise MiplError(
                f"{flag} {name}: its value has too many brackets inside one another."
            ) from None
        except ValueError:
            options[name.replace("-", "_")] = value
    return options
