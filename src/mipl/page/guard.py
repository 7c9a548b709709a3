"""Guard: who may speak to the server, and what browsers may do with its answers.

It stands before everything, sockets included, and knows nothing of screens. Nobody gets
past it who has not come by the one-time link of this start, on this machine, too: other
users and other pages in the same browser reach a port of 127.0.0.1 as well.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs, urlsplit

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

ENTER = "/enter"
UPLOADS = "/upload/"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
LARGEST_UPLOAD = 4 << 30  # Bytes of a file.
_LARGEST = 1 << 20  # Bytes of anything else that is sent to the server.
_SECRET = 32  # Bytes: 256 bits.
_READING = frozenset({"GET", "HEAD"})
_SCRIPT = re.compile(rb"<script(?=[\s>])")

# What a page may load and run. NiceGUI's page begins with scripts in the document,
# which get a nonce; the templates of its components are compiled in the browser and
# its event handlers are sent as text, which is eval; its style sheet stands in the
# document and its components set styles of elements.
_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'"
)
_BARE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Keys:
    """The secrets of one start: of the link, which opens once, and of the cookie.

    Examples
    --------
    >>> keys = Keys()
    >>> link = keys.link
    >>> keys.enters(link), keys.enters(link), keys.enters("")
    (True, False, False)
    >>> keys.opens(keys.cookie), keys.opens(link)
    (True, False)
    """

    def __init__(self) -> None:
        self.cookie = token_urlsafe(_SECRET)
        self.link = token_urlsafe(_SECRET)
        self.used = False

    def enters(self, given: str) -> bool:
        """Tell whether this is the link's secret, which is worth nothing afterwards."""
        good = _same(given, self.link) and not self.used
        self.used = self.used or good
        return good

    def opens(self, given: str) -> bool:
        """Tell whether this is the cookie's secret."""
        return _same(given, self.cookie)

    def renew(self) -> bool:
        """Make a new link where the last one is used up; tell whether it was."""
        if not self.used:
            return False
        self.link, self.used = token_urlsafe(_SECRET), False
        return True


def _same(given: str, secret: str) -> bool:
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())


class Guard:
    """Lets through who holds the cookie, and asks this server by its own name.

    Parameters
    ----------
    app : ASGI application
    host : str
        The address that the server listens on.
    port : int
    keys : Keys, optional
    tell : callable, optional
        Is given a new link where somebody came without a key and the last was used.
    """

    def __init__(
        self,
        app: App,
        host: str,
        port: int,
        keys: Keys | None = None,
        tell: Callable[[str], None] = lambda link: None,
    ) -> None:
        self.app = app
        self.host, self.port = host, port
        self.keys = keys or Keys()
        self.tell = tell
        # Cookies of a name are shared by all ports of a machine.
        self.cookie = f"mipl-{port}"

    def link(self) -> str:
        """Return the address that opens the page once."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        if _is_any(self.host):
            shown = "127.0.0.1"
        return f"http://{shown}:{self.port}{ENTER}?key={self.keys.link}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything else has seen it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
            return
        if scope["type"] == "http" and scope["path"] == ENTER:
            await self._enter(scope, headers, send)
            return
        if not self.keys.opens(_cookie(headers, self.cookie)):
            if scope["type"] == "http" and self.keys.renew():
                self.tell(self.link())
            await _refuse(scope, receive, send, 401, _NO_KEY)
            return
        limit = LARGEST_UPLOAD if scope["path"].startswith(UPLOADS) else _LARGEST
        if _length(headers) > limit:
            await _refuse(scope, receive, send, 413, _TOO_LARGE)
            return
        # What a proxy says of itself could be said by anybody.
        scope["headers"] = [
            (name, value)
            for name, value in scope["headers"]
            if not name.startswith(b"x-forwarded-") and name != b"forwarded"
        ]
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self.app(scope, _counted(receive, limit), _Answer(send))

    def _refusal(
        self, scope: Scope, headers: Mapping[str, list[str]]
    ) -> tuple[int, str] | None:
        """Return why nobody may ask so, whatever key they have."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 403, _WRONG_HOST
        origins = headers.get("origin", [])
        if any(not _same_place(origin, hosts[0]) for origin in origins):
            return 403, _WRONG_ORIGIN
        site = headers.get("sec-fetch-site", ["none" if not origins else ""])[0]
        if scope["type"] == "websocket":
            return None if origins else (403, _WRONG_ORIGIN)
        if scope["method"] not in _READING:
            if not origins or site not in ("", "same-origin"):
                return 403, _WRONG_ORIGIN
        elif site in ("cross-site", "same-site"):
            # Somebody may follow a link to us; nobody may build us into a page.
            if headers.get("sec-fetch-mode", [""])[0] != "navigate":
                return 403, _WRONG_ORIGIN
        return None

    def _is_ours(self, host: str) -> bool:
        """Tell whether a Host header names this server: no other name is made ours.

        A page of a name that its owner points here would be of the same origin.
        """
        name = _name_of(host)
        if name is None:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        return _is_any(self.host) and _is_address(name)

    async def _enter(
        self, scope: Scope, headers: Mapping[str, list[str]], send: Send
    ) -> None:
        """Give the cookie to who has the link; to others tell what is wrong."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        given = query.get("key", [""])[0]
        looking = "prefetch" in "".join(headers.get("sec-purpose", []))
        if self.keys.opens(_cookie(headers, self.cookie)):
            await _send(send, 200, _document("mipl", _OPENING, _TO_START))
        elif scope["method"] == "GET" and not looking and self.keys.enters(given):
            cookie = (
                f"{self.cookie}={self.keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
            )
            # No redirect: a strict cookie does not come along where another program
            # has opened the link.
            body = _document("mipl", _OPENING, _TO_START)
            await _send(send, 200, body, {"set-cookie": cookie})
        else:
            if self.keys.renew():
                self.tell(self.link())
            await _send(send, 401, _document("mipl", _NO_KEY))


_WRONG_HOST = "This server is not called so; open it by the link that mipl ui printed."
_WRONG_ORIGIN = "Another page has asked for this; only pages of this server may."
_NO_KEY = (
    "This page opens by the link that mipl ui printed in its terminal. A link opens "
    "once; where it was used, a new one has just been printed there."
)
_TOO_LARGE = "This is more than the server takes at once."
_OPENING = "Opening ..."
_TO_START = '<meta http-equiv="refresh" content="0;url=/">'


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(
            value.decode("latin-1")
        )
    return found


def _cookie(headers: Mapping[str, list[str]], name: str) -> str:
    """Return the value of our cookie; of several none, since one may be planted."""
    values = []
    for part in ";".join(headers.get("cookie", [])).split(";"):
        try:
            jar = SimpleCookie(part)
        except CookieError:
            continue
        values += [jar[name].value] if name in jar else []
    return values[0] if len(values) == 1 else ""


def _length(headers: Mapping[str, list[str]]) -> int:
    told = headers.get("content-length", ["0"])[0]
    return int(told) if told.isascii() and told.isdigit() else 0


def _name_of(host: str) -> str | None:
    """Return the name in a Host header, without its port.

    Examples
    --------
    >>> [_name_of(one) for one in ("[::1]:80", "a.b:1", "127.0.0.1", "a b", "a:b:c")]
    ['::1', 'a.b', '127.0.0.1', None, None]
    """
    found = re.fullmatch(
        r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?", host, re.I
    )
    return None if found is None else (found[1] or found[2]).lower()


def _same_place(origin: str, host: str) -> bool:
    """Tell whether an Origin header is of the server that a Host header names.

    Examples
    --------
    >>> _same_place("http://localhost:8080", "localhost:8080")
    True
    >>> _same_place("https://lab.example", "lab.example")
    True
    >>> [_same_place(one, "localhost:8080") for one in ("null", "http://localhost:81")]
    [False, False]
    """
    try:
        parts = urlsplit(origin)
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        there = urlsplit(f"{parts.scheme}://{host}")
        return (
            usual is not None
            and origin == f"{parts.scheme}://{parts.netloc}"
            and parts.hostname is not None
            and parts.username is None
            and parts.hostname == there.hostname
            and (parts.port or usual) == (there.port or usual)
        )
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_any(host: str) -> bool:
    """Tell whether an address stands for all of this machine."""
    return _is_address(host) and ip_address(host).is_unspecified


def _counted(receive: Receive, limit: int) -> Receive:
    """Stop a body that is longer than it said."""
    taken = 0

    async def counting() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > limit else message

    return counting


class _Answer:
    """Sends an answer on with the headers of ours; a document gets its nonce."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.nonce = token_urlsafe(16)
        self.start: Message | None = None  # Of a document, until its body is whole.
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self._begin(message):
                return
        elif self.start is not None and message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if message.get("more_body"):
                return
            message = await self._document()
        await self.send(message)

    def _begin(self, message: Message) -> bool:
        """Set the headers; tell whether this is a document, which must wait."""
        ours = {name.encode() for name in _HEADERS}
        drop = {b"server", b"content-security-policy", b"x-powered-by"}
        kept = [
            (name, value)
            for name, value in message["headers"]
            if name.lower() not in ours | drop
            and not name.lower().startswith(b"access-control-")
        ]
        types = [value for name, value in kept if name.lower() == b"content-type"]
        document = any(b"html" in value for value in types)
        policy = _POLICY.format(nonce=self.nonce) if document else _BARE_POLICY
        more = {**_HEADERS, "content-security-policy": policy}
        if not any(name.lower() == b"cache-control" for name, _ in kept):
            more["cache-control"] = "no-store"
        kept += [(name.encode(), value.encode()) for name, value in more.items()]
        message["headers"] = kept
        self.start = message if document else None
        return document

    async def _document(self) -> Message:
        """Give the nonce to the scripts of a document: none of data can be one.

        NiceGUI escapes what comes from data, so that no other tag is found.
        """
        assert self.start is not None
        tag = f'<script nonce="{self.nonce}"'.encode()
        body = _SCRIPT.sub(tag, self.body)
        length = (b"content-length", str(len(body)).encode())
        kept = [one for one in self.start["headers"] if one[0].lower() != length[0]]
        self.start["headers"] = [*kept, length]
        await self.send(self.start)
        return {"type": "http.response.body", "body": body}


def _document(title: str, sentence: str, head: str = "") -> bytes:
    style = "font:1rem/1.5 sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="color-scheme" content="light dark"><title>{title}</title>{head}'
        f'</head><body style="{style}"><p>{sentence}</p>'
        f'<p><a href="">Try again</a></p></body></html>'
    ).encode()


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, sentence: str
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await _send(send, status, _document("mipl", sentence))


async def _send(
    send: Send, status: int, body: bytes, more: Mapping[str, str] | None = None
) -> None:
    headers = {
        **_HEADERS,
        "content-type": "text/html; charset=utf-8",
        "content-length": str(len(body)),
        "content-security-policy": _BARE_POLICY,
        "cache-control": "no-store",
        **(more or {}),
    }
    coded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": coded})
    await send({"type": "http.response.body", "body": body})
