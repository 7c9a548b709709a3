"""Site: what all screens of one server share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from mipl.page.jobs import Jobs
from mipl.page.library import Library
from mipl.page.unopened import Unopened
from mipl.page.uploads import Uploads
from mipl.page.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Site:
    """A workspace and what is kept of it while the server runs."""

    workspace: Workspace
    library: Library = field(default_factory=Library)
    unopened: Unopened = field(default_factory=Unopened)

    @cached_property
    def jobs(self) -> Jobs:
        """What takes long, in processes of its own."""
        return Jobs(self.workspace)

    @cached_property
    def uploads(self) -> Uploads:
        """Files that persons give."""
        return Uploads(self.workspace)
