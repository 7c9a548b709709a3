"""Visit: what a screen is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, cast
from urllib.parse import urlencode

from nicegui import run, ui

from mipl.page.jobs import Jobs
from mipl.page.library import Library
from mipl.page.screen_list import Screen
from mipl.page.site import Site
from mipl.page.workspace import Workspace

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class Visit:
    """One visit of a screen.

    Attributes
    ----------
    site : Site
    screen : Screen
    ids : mapping of str
        The ids of the address; numbers are digits.
    query : mapping of str
        What stands behind the question mark of the address.
    dark : bool
        Whether the page is shown dark.
    """

    site: Site
    screen: Screen
    ids: Mapping[str, str]
    query: Mapping[str, str]
    dark: bool

    @property
    def workspace(self) -> Workspace:
        """The folder that is shown."""
        return self.site.workspace

    @property
    def library(self) -> Library:
        """What loads data sets and runs."""
        return self.site.library

    @property
    def jobs(self) -> Jobs:
        """What starts, holds and ends work in processes of its own."""
        return self.site.jobs

    async def work(
        self,
        function: Callable[_Given, _Made],
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _Made:
        """Do something that takes time, beside the server; return what came of it."""
        return cast(_Made, await run.io_bound(function, *given, **named))

    def address(self, path: str = "", **query: object) -> str:
        """Return an address of this server; of this screen, where no path is given.

        What is None or empty is left out of the query.
        """
        here = path or self.screen.path.replace(":int", "").format(**self.ids)
        return _with_query(here, query)

    def again(self, **changed: object) -> str:
        """Return the address of this screen with another query."""
        return _with_query(self.address(), {**self.query, **changed})

    def go(self, address: str) -> None:
        """Open another screen."""
        ui.navigate.to(address)


def _with_query(path: str, query: Mapping[str, object]) -> str:
    told = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(told)}" if told else path
