"""Who gets past the guard: only who has come by the link, and asks by our name."""

import re
from http.cookies import SimpleCookie

import pytest
from tests.page.loops import finished

from mipl.page.guard import LARGEST_UPLOAD, Guard, Keys

PORT = 8080
HERE = f"127.0.0.1:{PORT}"
PAGE = b"<html><script>a</script><script type='module'>b</script></html>"


class Inner:
    """An application that counts who reaches it, and answers with a page."""

    def __init__(self) -> None:
        self.reached = 0
        self.headers: list = []
        self.body = b""

    async def __call__(self, scope, receive, send) -> None:
        self.reached += 1
        self.headers = scope["headers"]
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            return
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"access-control-allow-origin", b"*"),
            (b"server", b"x"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE[:20], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[20:]})


class Client:
    """Speaks ASGI to a guard."""

    def __init__(self, host: str = "127.0.0.1", **how) -> None:
        self.inner = Inner()
        self.told: list[str] = []
        self.guard = Guard(self.inner, host, PORT, tell=self.told.append, **how)

    def ask(
        self,
        path: str = "/",
        method: str = "GET",
        kind: str = "http",
        query: str = "",
        body: tuple[bytes, ...] = (b"",),
        key: bool = True,
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        given = {"host": HERE, **{n.replace("_", "-"): v for n, v in headers.items()}}
        if key:
            ours = f"{self.guard.cookie}={self.guard.keys.cookie}"
            given["cookie"] = "; ".join(filter(None, [given.get("cookie"), ours]))
        coded = [(n.encode(), v.encode()) for n, v in given.items() if v != "absent"]
        scope = {
            "type": kind,
            "path": path,
            "method": method,
            "query_string": query.encode(),
            "headers": coded,
        }
        pieces = list(body)
        sent: list = []

        async def receive():
            if kind == "websocket":
                return {"type": "websocket.connect"}
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message) -> None:
            sent.append(message)

        finished(self.guard(scope, receive, send))
        if kind == "websocket":
            return 101 if sent[0]["type"] == "websocket.accept" else 403, {}, b""
        if not sent:
            return 0, {}, b""
        start = sent[0]
        names = [name.decode().lower() for name, _ in start["headers"]]
        assert len(names) == len(set(names)), names
        found = {n.decode().lower(): v.decode() for n, v in start["headers"]}
        return start["status"], found, b"".join(m["body"] for m in sent[1:])


def test_a_secret_has_256_bits_and_is_new_each_time() -> None:
    secrets = {secret for _ in range(50) for secret in (Keys().link, Keys().cookie)}
    assert len(secrets) == 100
    # 43 letters of 6 bits each hold 256.
    assert all(re.fullmatch(r"[\w-]{43}", secret) for secret in secrets)


def test_the_link_opens_once_and_gives_a_strict_cookie() -> None:
    client = Client()
    link = client.guard.link()
    path, _, query = link.removeprefix(f"http://{HERE}").partition("?")
    status, headers, body = client.ask(path, query=query, key=False)
    assert status == 200 and b"url=/" in body
    cookie = SimpleCookie(headers["set-cookie"])[client.guard.cookie]
    assert cookie["httponly"] and cookie["samesite"] == "Strict"
    assert cookie["path"] == "/" and not cookie["domain"]
    given = f"{client.guard.cookie}={cookie.value}"
    assert client.ask(key=False, cookie=given)[0] == 200
    assert client.inner.reached == 1
    # The link is worth nothing now; a new one is told once.
    for _ in range(3):
        assert client.ask(path, query=query, key=False)[0] == 401
    assert len(client.told) == 1 and client.told[0] != link
    assert client.inner.reached == 1


def test_looking_ahead_does_not_use_the_link_up() -> None:
    client = Client()
    query = f"key={client.guard.keys.link}"
    for more in ({"method": "HEAD"}, {"sec_purpose": "prefetch;prerender"}):
        assert client.ask("/enter", query=query, key=False, **more)[0] == 401
    assert client.ask("/enter", query=query, key=False)[0] == 200


@pytest.mark.parametrize("path", ["/", "/data", "/_nicegui/x", "/assets/a.css", "/%"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("cookie", ["absent", "", "x", "mipl-8080=", "mipl-8080=guess"])
def test_nothing_is_shown_without_the_cookie(path, kind, cookie) -> None:
    client = Client()
    more = {"origin": f"http://{HERE}"} if kind == "websocket" else {}
    status, _, body = client.ask(path, kind=kind, key=False, cookie=cookie, **more)
    assert status in (401, 403) and client.inner.reached == 0
    assert client.guard.keys.link.encode() not in body


def test_a_planted_second_cookie_opens_nothing() -> None:
    client = Client()
    assert client.ask(cookie=f"{client.guard.cookie}=planted")[0] == 401


GOOD_HOSTS = [HERE, "localhost:8080", "localhost", "[::1]:8080", "127.0.0.1:443"]
BAD_HOSTS = [
    *("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "127.0.0.1@evil"),
    *("localhost.evil.example:8080", "[::1].evil", "", "absent", "127.0.0.1:8080:1"),
    *("127.0.0.2:8080", "0.0.0.0:8080", "2130706433", "0x7f.1", "localhost\\.evil"),
    *("192.168.1.5:8080", "[::2]:8080", "127.0.0.1:123456", " 127.0.0.1", "a b"),
]
GOOD_ORIGINS = ["absent", f"http://{HERE}"]
BAD_ORIGINS = [
    *("null", "http://evil.example", "http://127.0.0.1:8081", "http://localhost:8080"),
    *("http://127.0.0.1", "file://", "", "http://127.0.0.1:8080/", "chrome-extension:"),
    *(f"http://a@{HERE}", f"ftp://{HERE}", f"http://{HERE}.evil.example"),
]


@pytest.mark.parametrize("host", GOOD_HOSTS + BAD_HOSTS)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_our_own_names_are_answered(host: str, kind: str) -> None:
    client = Client()
    origin = f"http://{host}" if kind == "websocket" else "absent"
    status, _, _ = client.ask(host=host, kind=kind, origin=origin)
    good = host in GOOD_HOSTS
    assert (status in (101, 200)) is good
    assert client.inner.reached == good


@pytest.mark.parametrize("origin", GOOD_ORIGINS + BAD_ORIGINS)
@pytest.mark.parametrize("how", ["GET", "POST", "DELETE", "OPTIONS", "socket"])
def test_only_our_own_pages_may_ask(origin: str, how: str) -> None:
    client = Client()
    kind = "websocket" if how == "socket" else "http"
    method = "GET" if how == "socket" else how
    status, headers, _ = client.ask("/x", method, kind, origin=origin)
    # Browsers send no origin with what only reads; with all else they do.
    good = origin == f"http://{HERE}" or (origin == "absent" and how == "GET")
    assert (status in (101, 200)) is good
    assert client.inner.reached == good
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "same-origin"])
@pytest.mark.parametrize("mode", ["navigate", "no-cors", "cors", "websocket"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_browsers_tell_of_other_pages_counts(site, mode, method) -> None:
    client = Client()
    origin = f"http://{HERE}" if method == "POST" else "absent"
    more = {"sec_fetch_site": site, "sec_fetch_mode": mode, "origin": origin}
    status, _, _ = client.ask(method=method, **more)
    if method == "POST":
        good = site == "same-origin"
    else:  # Links from elsewhere may be followed, nothing may be built in.
        good = site in ("none", "same-origin") or mode == "navigate"
    assert (status == 200) is good


def test_two_hosts_are_none() -> None:
    client = Client()
    scope = {
        "type": "http",
        "path": "/",
        "method": "GET",
        "headers": [(b"host", HERE.encode()), (b"host", b"evil.example")],
    }
    sent: list = []

    async def send(message) -> None:
        sent.append(message)

    finished(client.guard(scope, None, send))
    assert sent[0]["status"] == 403 and client.inner.reached == 0


def test_another_address_has_its_own_name_and_no_other() -> None:
    named = Client("lab.example")
    assert named.ask(host="lab.example:8080")[0] == 200
    assert named.ask(host="lab.example", origin="https://lab.example")[0] == 200
    assert named.ask(host="other.example")[0] == 403
    everywhere = Client("0.0.0.0")
    assert everywhere.ask(host="192.168.1.5:8080")[0] == 200
    # A name can be made to point at an address by who owns it.
    assert everywhere.ask(host="rebound.example:8080")[0] == 403
    assert everywhere.guard.link().startswith("http://127.0.0.1:8080/enter?key=")
    assert Client("::1").guard.link().startswith("http://[::1]:8080/")


@pytest.mark.parametrize("key", [True, False])
def test_headers_of_every_answer(key: bool) -> None:
    client = Client()
    for host in (HERE, "evil.example"):
        _, headers, body = client.ask(host=host, key=key)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy
        assert "server" not in headers
        assert not [name for name in headers if name.startswith("access-control")]
        assert int(headers["content-length"]) == len(body)


def test_scripts_of_a_document_have_a_nonce_of_this_answer() -> None:
    client = Client()
    nonces = set()
    for _ in range(5):
        _, headers, body = client.ask()
        policy = headers["content-security-policy"]
        (nonce,) = re.findall(r"'nonce-([\w-]{16,})'", policy)
        assert body.count(f'<script nonce="{nonce}"'.encode()) == 2
        assert body.replace(f' nonce="{nonce}"'.encode(), b"") == PAGE
        scripts = re.search(r"script-src ([^;]*)", policy)[1]
        assert "unsafe-inline" not in scripts and "*" not in policy
        assert "http" not in policy
        nonces.add(nonce)
    assert len(nonces) == 5


def test_what_a_proxy_would_say_reaches_nobody() -> None:
    client = Client()
    client.ask(x_forwarded_for="1.2.3.4", x_forwarded_prefix='">', forwarded="a")
    names = {name for name, _ in client.inner.headers}
    assert names == {b"host", b"cookie"}


def test_bodies_are_limited_whatever_they_say() -> None:
    client = Client()
    ours = {"origin": f"http://{HERE}", "method": "POST"}
    assert client.ask("/x", content_length=str((1 << 20) + 1), **ours)[0] == 413
    assert client.inner.reached == 0
    large = tuple(b"0" * (1 << 18) for _ in range(6))
    assert client.ask("/x", body=large, **ours)[0] == 0
    assert len(client.inner.body) <= 1 << 20
    assert client.ask("/upload/1", body=large, **ours)[0] == 200
    told = str(LARGEST_UPLOAD + 1)
    assert client.ask("/upload/1", content_length=told, **ours)[0] == 413
