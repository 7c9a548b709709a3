"""Downloads that continue where they were interrupted."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn
from urllib.parse import urlsplit

from mipl.errors import MiplError
from mipl.files import CALLS, write_text

Progress = Callable[[int, int | None], None]

_PIECE = 1 << 18
_MOST_BYTES = 8 << 30
_TIMEOUT = 30.0
_ATTEMPTS = 4
_PAUSE = 1.0  # Seconds before the next attempt, doubled each time.
_RANGE_NOT_SATISFIABLE = 416


class _Interrupted(Exception):
    """A transfer that may go on at the next attempt."""


@dataclass(frozen=True)
class _Part:
    """The file that grows, and the note that says what it is a part of."""

    url: str
    path: Path
    most: int

    @property
    def note(self) -> Path:
        return self.path.with_name(f"{self.path.name}.json")

    @property
    def size(self) -> int:
        """Bytes that are there and belong to this address."""
        known = self._noted().get("url") == self.url and self.path.is_file()
        return self.path.stat().st_size if known else 0

    @property
    def validator(self) -> str | None:
        """What the server called this version of the file, if it did."""
        value = self._noted().get("validator")
        return value if isinstance(value, str) else None

    def begin(self, response: http.client.HTTPResponse) -> None:
        """Forget what is there, and note which version begins."""
        self.remove()
        # A weak validator does not promise equal bytes.
        etag = response.headers.get("ETag", "")
        value = etag if etag.startswith('"') else response.headers.get("Last-Modified")
        write_text(self.note, json.dumps({"url": self.url, "validator": value}))

    def remove(self) -> None:
        """Leave nothing behind."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def _noted(self) -> dict[str, Any]:
        try:
            noted = json.loads(self.note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}


def download(
    url: str,
    path: Path,
    progress: Progress = lambda done, total: None,
    most: int = _MOST_BYTES,
) -> None:
    """Get ``url`` into ``path``; an interrupted download goes on where it stopped.

    What has arrived lies in ``path.part`` until it is complete; a version that changed
    on the server, or a server that cannot continue, starts it anew.

    Parameters
    ----------
    url : str
        An http or https address.
    path : Path
        Replaced in one step at the end.
    progress : callable of (bytes so far, bytes in all or None)
    most : int
        Bytes after which it is stopped, whatever the server says of its length.
    """
    _check_address(url)
    part = _Part(url, path.with_name(f"{path.name}.part"), most)
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE * 2 ** (attempt - 1))
        try:
            _continue(part, progress)
            break
        except _Interrupted as error:
            reason = error
    else:
        raise MiplError(
            f"the download of {url} stopped after {part.size:,} bytes ({reason}); "
            "run the same again to continue, or give another address."
        )
    CALLS.fsync(part.path)
    CALLS.replace(part.path, path)
    part.remove()


def _check_address(url: str) -> None:
    """Refuse an address that is none before anything is asked for."""
    try:
        parts = urlsplit(url)
        web = parts.scheme in ("http", "https") and bool(parts.hostname)
        if web:
            _ = parts.port  # Raises where it is none.
            (parts.hostname or "").encode("idna")
    except ValueError as error:  # UnicodeError is one.
        raise MiplError(f"the address {url!r} cannot be read: {error}.") from None
    if not web or not url.isprintable() or " " in url or not url.isascii():
        raise MiplError(
            f"the address {url!r} must begin with http:// or https:// and a host, in "
            "ASCII letters without spaces."
        )


def _continue(part: _Part, progress: Progress) -> None:
    """Fetch what is missing, or raise ``_Interrupted`` with the rest still missing."""
    try:
        with _request(part) as response:
            done = part.size
            if response.status != http.client.PARTIAL_CONTENT:
                part.begin(response)
                done = 0
            total = _total(response, done, part.most)
            with part.path.open("ab") as handle:
                _copy(response, handle, done, (total, part.most), progress)
    except urllib.error.HTTPError as error:
        _refused(part, error)
    except (http.client.HTTPException, OSError) as error:
        raise _Interrupted(_reason(error)) from error


def _request(part: _Part) -> http.client.HTTPResponse:
    headers = {"User-Agent": "mipl", "Accept-Encoding": "identity"}
    if part.size:
        headers["Range"] = f"bytes={part.size}-"
        if part.validator:
            headers["If-Range"] = part.validator
    request = urllib.request.Request(part.url, headers=headers)
    response: http.client.HTTPResponse = _opener().open(request, timeout=_TIMEOUT)
    return response


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that knows http and https only, also after a redirection."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _total(response: http.client.HTTPResponse, done: int, most: int) -> int | None:
    """Return the size of the whole file; refuse a piece that begins elsewhere."""
    if response.status == http.client.PARTIAL_CONTENT:
        told = response.headers.get("Content-Range", "")
        span, _, total = told.removeprefix("bytes ").partition("/")
        if span.split("-")[0] != str(done) or not total.isdigit():
            raise MiplError(
                f"the server answered with the range {told[:80]!r} where bytes "
                f"{done}- were asked for; give another address."
            )
        size: int | None = int(total)
    else:
        length = response.headers.get("Content-Length", "")
        size = int(length) if length.isdigit() else None
    if size is not None and size > most:
        raise MiplError(f"the file has {size:,} bytes; at most {most:,} are got.")
    return size


def _copy(
    response: http.client.HTTPResponse,
    handle: IO[bytes],
    done: int,
    sizes: tuple[int | None, int],
    progress: Progress,
) -> None:
    total, most = sizes
    progress(done, total)
    while piece := response.read(_PIECE):
        done += len(piece)
        if done > (most if total is None else total):
            _stop(total, most)
        try:
            handle.write(piece)
        except OSError as error:
            raise MiplError(f"cannot write {handle.name}: {_reason(error)}.") from error
        progress(done, total)
    if total is not None and done < total:
        raise _Interrupted(f"the server closed the connection {total - done:,} short")


def _stop(total: int | None, most: int) -> NoReturn:
    if total is None:
        raise MiplError(f"the file has more than {most:,} bytes; stopped.")
    raise MiplError(f"the server sent more than the {total:,} bytes it had named.")


def _refused(part: _Part, error: urllib.error.HTTPError) -> None:
    """Accept the answer that nothing is missing; raise for every other refusal."""
    error.close()
    if error.code == _RANGE_NOT_SATISFIABLE:
        if error.headers.get("Content-Range") == f"bytes */{part.size}":
            return
        part.remove()
        raise _Interrupted("the file changed on the server")
    told = f"{error.code} {error.reason}"
    if error.code >= http.client.INTERNAL_SERVER_ERROR:
        raise _Interrupted(told)
    raise MiplError(
        f"{part.url} answered {told}; check the address, or give another one."
    )


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", None) or error
    return str(cause)[:200] or type(cause).__name__
