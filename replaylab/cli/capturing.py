"""What `capture` and `proxy` share: the session, the upstreams, the server, and what is said at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.request import getproxies, proxy_bypass

from replaylab.cli.app import App
from replaylab.cli.keys import secrets_of
from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.capture.app import Proxy
    from replaylab.capture.routes import Routes
    from replaylab.capture.server import ProxyServer
    from replaylab.engine.captured.session import Session
    from replaylab.wire.forward import Forward

Mode = Literal["record", "offline", "extend"]


@dataclass(frozen=True)
class Wanted:
    """What a command was asked for. `command` is the program's, () for a proxy. Offline a run that is not there is an
    error, unless it `may_be_new`. `patch`: vcrpy in the program does what else the proxy does.
    """

    run: str
    mode: Mode
    host: str = "127.0.0.1"
    port: int = 0
    public: bool = False
    command: tuple[str, ...] = ()
    may_be_new: bool = False
    patch: bool = False


@dataclass(frozen=True)
class Staged:
    """A proxy that is serving. `asked` says where each upstream is, without passwords."""

    app: Proxy
    server: ProxyServer
    session: Session
    routes: Routes
    variables: Mapping[str, Sequence[str]]
    asked: Mapping[str, str]


def mode_of(*, offline: bool, extend: bool) -> Mode:
    """The mode that the options ask for. Raises UsageError for both."""
    if offline and extend:
        raise UsageError(
            "--offline asks nobody, and --extend asks for what is new", fix="leave out one of them"
        )
    return "offline" if offline else "extend" if extend else "record"


def legible(word: str) -> str:
    """A word of a command line as text that can be kept: bytes that are no UTF-8 are written by their numbers."""
    return os.fsencode(word).decode("utf-8", "backslashreplace")


def routes_of(app: App, mode: Mode) -> tuple[Routes, dict[str, tuple[str, ...]]]:
    """The upstreams that are known here, and the variables that the configuration adds."""
    from replaylab.capture.routes import Routes, Upstream
    from replaylab.capture.variables import VENDORS, known_upstream

    offline = mode == "offline"
    found: dict[str, Upstream] = {}
    for vendor in VENDORS:
        try:
            known = known_upstream(vendor, app.env, offline=offline)
        except UsageError as error:
            names = ", ".join(one.name for one in vendor.variables)
            raise UsageError(f"{error.what} ({vendor.name})", where=names, fix=error.fix) from error
        if known is not None:
            found[vendor.name] = known
    own: dict[str, tuple[str, ...]] = {}
    mounts = {vendor.name: vendor.mount for vendor in VENDORS}
    for name, table in app.config.capture.upstreams.items():
        made = Upstream.at(name, table.base_url, mounts.get(name), table.timeout_s)
        found[name] = Upstream(name, mount=made.mount) if offline else made
        own[name] = (table.variables,) if isinstance(table.variables, str) else table.variables
    return Routes(found.values()), own


@contextmanager
def staged(app: App, wanted: Wanted) -> Iterator[Staged]:
    """A proxy that serves until the end of the block; then it stops, and what was recorded can be sealed."""
    from replaylab.capture.app import Proxy
    from replaylab.capture.asked import Redactors
    from replaylab.capture.server import ProxyServer, drop, listen
    from replaylab.engine.captured.rules import Rules
    from replaylab.engine.captured.session import Session
    from replaylab.engine.seams import real_seams
    from replaylab.schema.capture import CaptureFacts
    from replaylab.store.library import Library

    redactors = Redactors(secrets_of(app))
    routes, own = routes_of(app, wanted.mode)
    seams = real_seams()
    redactor = redactors.knowing(frozenset())
    asked = {name: redactor.url(one.base_url) for name, one in routes.upstreams.items()}
    facts = CaptureFacts(
        client="vcrpy" if wanted.patch else "proxy",
        command=tuple(redactor.text(legible(word)) for word in wanted.command),
        endpoints={name: url for name, url in asked.items() if url},
    )
    rules = Rules(app.config.capture.normalise)
    forward = forward_of(wanted.mode)
    bound = listen(wanted.host, wanted.port, public=wanted.public)
    try:
        session = Session(
            Library(app.library),
            wanted.run,
            wanted.mode,
            seams,
            rules=rules,
            facts=facts,
            may_be_new=wanted.may_be_new,
        )
    except BaseException:
        bound.close()
        raise
    if wanted.mode == "offline":
        routes = routes.with_recorded(session.endpoints)
    proxy = Proxy(session, routes, redactors, forward, drop)
    server = ProxyServer(proxy, bound, forward.close if forward else None)
    try:
        with server:
            yield Staged(proxy, server, session, routes, own, asked)
    finally:
        session.close()


def forward_of(mode: Mode) -> Forward | None:
    """What asks upstreams; None offline, where the network is refused to the whole process besides."""
    if mode == "offline":
        from replaylab.wire.offline import refuse_network

        refuse_network()
        return None
    from replaylab.wire.forward import Forward

    proxies = getproxies()

    def proxy_for(scheme: str, host: str) -> str | None:
        from replaylab.wire.offline import is_loopback

        if is_loopback(host) or proxy_bypass(host):
            return None
        return proxies.get(scheme) or proxies.get("all")

    return Forward(proxy_for)
