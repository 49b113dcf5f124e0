"""Which upstream a path means, and what it is asked for.

A client's base URL is the proxy's address, the upstream's name, and the `mount`: what the vendor's own base URL ends in,
such as `/v1`, since SDKs differ in whether they add it. What is recorded is the path behind the name, so that a recording
does not depend on where the upstream lay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin

from replaylab.errors import UsageError
from replaylab.wire.forward import Base

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VERSION = re.compile(r"/v[0-9][a-z0-9]*$")
TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Upstream:
    """`base_url` is "" where nothing can be asked, as offline. `timeout_s` bounds each silence of the upstream."""

    name: str
    base_url: str = ""
    mount: str = ""
    timeout_s: float = TIMEOUT_S
    base: Base | None = field(default=None, compare=False, repr=False)

    @classmethod
    def at(cls, name: str, base_url: str, mount: str | None = None, timeout_s: float = TIMEOUT_S) -> Upstream:
        """An upstream at that address. Without a `mount` it is the version that the address ends in, if any."""
        base = Base(base_url)
        if mount is None:
            mount = _mount(base.path)
        return cls(name, base_url.rstrip("/"), mount, timeout_s, base)

    def target(self, path: str) -> str:
        """What to ask the upstream for, when a client asks for `path` (with its query) behind the name."""
        if self.base is None:
            raise UsageError(f"the upstream {self.name!r} has no address")
        root = self.base.path
        if self.mount and (path == self.mount or path.startswith((self.mount + "/", self.mount + "?"))):
            return root + path[len(self.mount) :] or "/"
        return root.removesuffix(self.mount) + path

    def led(self, target: str, location: str) -> str | None:
        """The path at the proxy that a redirect means, which came as an answer to `target`. None: it leads elsewhere."""
        if self.base is None:
            return None
        try:
            url = urljoin(self.base.origin + target, location)
        except ValueError:
            return None
        path = url.removeprefix(self.base.origin)
        inside, outside = self.base.path, self.mount
        if inside.endswith(outside):
            inside, outside = inside.removesuffix(outside), ""
        if path == url or not path.startswith(f"{inside}/"):
            return None
        return f"/{self.name}{outside}{path[len(inside) :]}"


def climbs(path: str) -> bool:
    """Whether a path has a part that means the folder itself or the one above: it would leave what an upstream's address
    says, and be recorded as what was not asked.
    """
    return any(unquote(part) in (".", "..") for part in path.split("/"))


def _mount(address: str) -> str:
    """The version that an address ends in, "" for none."""
    found = _VERSION.search(address.rstrip("/"))
    return found[0] if found else ""


class Routes:
    """The upstreams by name."""

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        self.upstreams = {one.name: one for one in upstreams}
        for name in self.upstreams:
            if not NAME.fullmatch(name):
                raise UsageError(
                    f"no name for an upstream: {name!r}",
                    fix="small letters, digits, - and _; it stands in a URL",
                )

    def with_recorded(self, endpoints: Mapping[str, str]) -> Routes:
        """These and the endpoints of a recording that nobody configured here, for playing: nothing of it can be asked.

        An import names endpoints after hosts, and a recording may come from where the configuration was another one.
        """
        more = [
            Upstream(name, mount=_mount(url))
            for name, url in endpoints.items()
            if name not in self.upstreams and NAME.fullmatch(name)
        ]
        return Routes([*self.upstreams.values(), *more])

    def find(self, raw_path: str) -> tuple[Upstream, str] | None:
        """The upstream that a request's path names, and the path behind the name. None when it names none."""
        name, slash, rest = raw_path.removeprefix("/").partition("/")
        upstream = self.upstreams.get(name)
        return (upstream, slash + rest or "/") if upstream else None
