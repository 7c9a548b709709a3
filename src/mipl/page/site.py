"""Site: what all screens of one server share."""

from __future__ import annotations

from dataclasses import dataclass, field

from mipl.page.library import Library
from mipl.page.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Site:
    """A workspace and what is kept of it while the server runs."""

    workspace: Workspace
    library: Library = field(default_factory=Library)
