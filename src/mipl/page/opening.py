"""Opening the page in a browser, without showing its link to other users."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread, Timer

from mipl.files import write_text

_LOOKED_AT = 30.0  # Seconds until a browser has read the file.


def open_browser(link: str) -> None:
    """Open a link; the command of the browser, which all users see, names a file.

    The file can be read by its owner only, leads to the link, and is removed.
    """
    folder = Path(mkdtemp(prefix="mipl-"))
    page = folder / "open.html"
    write_text(page, f'<meta http-equiv="refresh" content="0;url={link}">')
    Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
    later = Timer(_LOOKED_AT, _remove, (page,))
    later.daemon = True
    later.start()


def _remove(page: Path) -> None:
    with suppress(OSError):
        page.unlink()
        page.parent.rmdir()
