"""Where the server listens, and that none of its routes is open."""

import re
import socket

import pytest
from tests.page.loops import finished

from mipl.errors import MiplError
from mipl.page.guard import Guard
from mipl.page.serving import application, listening
from mipl.page.site import Site
from mipl.page.workspace import Workspace


def test_it_listens_on_loopback_and_takes_the_next_free_port() -> None:
    first = listening("127.0.0.1", None)
    second = listening("127.0.0.1", None)
    with first, second:
        ports = [one.getsockname() for one in (first, second)]
        assert all(address == "127.0.0.1" for address, _ in ports)
        assert 8080 <= ports[0][1] < ports[1][1] < 8100
        with pytest.raises(MiplError, match=f"port {ports[0][1]} is in use"):
            listening("127.0.0.1", ports[0][1])


def test_any_free_port_may_be_asked_for() -> None:
    with listening("127.0.0.1", 0) as one:
        assert one.getsockname()[1] > 1023
        assert one.family == socket.AF_INET and not one.get_inheritable()


@pytest.mark.parametrize("host", ["nowhere.invalid", "256.1.1.1", "192.0.2.1", "a b"])
def test_what_is_no_address_here_is_a_sentence(host: str) -> None:
    with pytest.raises(MiplError, match=r"no address of this machine.*give") as error:
        listening(host, 0)
    assert host in str(error.value)


def routes_of(app) -> list[tuple[str, str]]:
    found = []
    for route in app.routes:
        inner = getattr(route, "app", None)
        if hasattr(inner, "routes") and inner is not app:
            found += routes_of(inner)
        for method in getattr(route, "methods", None) or ("GET",):
            found.append((method, getattr(route, "path", "/")))
    return found


def test_every_route_needs_the_cookie_and_takes_ids_only(tmp_path) -> None:
    app = application(Site(Workspace(tmp_path)))
    known = routes_of(app)
    ours = [path for _, path in known if not path.startswith("/_nicegui")]
    assert {"/", "/data", "/train", "/upload/{draft}", "/assets/page.css"} <= set(ours)
    taking = {part for path in ours for part in re.findall(r"\{([^}]*)\}", path)}
    # Ids and numbers, or what is answered with "there is none"; no ``{x:path}``.
    assert not [part for part in taking if ":" in part]
    reached = []

    async def inner(scope, receive, send) -> None:
        reached.append(scope["path"])

    guard = Guard(inner, "127.0.0.1", 8080)
    for method, path in known:
        for kind in ("http", "websocket"):
            sent: list = []
            scope = {
                "type": kind,
                "method": method,
                "path": re.sub(r"\{[^}]*\}", "0" * 32, path),
                "query_string": b"",
                "headers": [
                    (b"host", b"127.0.0.1:8080"),
                    (b"origin", b"http://127.0.0.1:8080"),
                ],
            }

            async def receive():
                return {"type": "websocket.connect"}

            async def send(message, sent=sent) -> None:
                sent.append(message)

            finished(guard(scope, receive, send))
            refused = sent[0].get("status", sent[0].get("code"))
            assert refused in (401, 1008), (method, path, kind)
    assert reached == [] and len(known) > 20
