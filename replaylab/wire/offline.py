"""A process that refuses the network: an audit hook over every connection and name look-up that Python makes.

Loopback and Unix sockets stay open. A hook can't be taken out of a process again, so there is a switch. The first
refusal is remembered, because a library may swallow the exception: a command looks at it before it ends with success.

What no hook sees: programs that this one starts, and C code that opens sockets by itself. A `socket.connect` that is
given a name instead of an address looks it up before its audit event; everything built on `create_connection` or
asyncio looks it up through `getaddrinfo`, which is refused.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from threading import Lock
from typing import Any

from replaylab.errors import OfflineError

_CONNECTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_EVENTS = _CONNECTS | _LOOKUPS | {"socket.getnameinfo"}
_LOCAL_FAMILIES = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)
)
_WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - looked up by servers before they bind


class _Switch:
    """Process-wide, because the hook is."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.installed = False
        self.on = False
        self.first: tuple[str, str] | None = None


_switch = _Switch()


def refuse_network() -> None:
    """From now on raise OfflineError wherever this process wants anything but loopback. Forgets earlier refusals."""
    with _switch.lock:
        _switch.first, _switch.on = None, True
        if not _switch.installed:
            sys.addaudithook(_hook)
            _switch.installed = True


def allow_network() -> None:
    """Switch the refusal off. What was refused stays remembered."""
    _switch.on = False


def first_refusal() -> OfflineError | None:
    """The first refusal since `refuse_network`, whether or not anybody saw it raised."""
    return _error(*_switch.first) if _switch.first else None


def is_loopback(host: object) -> bool:
    """Whether a host is this machine: localhost, 127.0.0.0/8, ::1, or the former inside IPv6. Names aren't looked up."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    name = name.lower().removesuffix(".")
    if name == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_loopback)


def _hook(
    event: str, args: tuple[Any, ...], switch: _Switch = _switch, events: frozenset[str] = _EVENTS
) -> None:
    # Given, and not looked up: a process that ends clears this module's names before its last events.
    if not switch.on or event not in events:
        return
    wanted = _wanted(event, args)
    if wanted is None:
        return
    with switch.lock:
        switch.first = switch.first or (event, wanted)
    raise _error(event, wanted)


def _wanted(event: str, args: tuple[Any, ...]) -> str | None:
    """The host outside this machine that an event is about; None when there is none."""
    if event in _LOOKUPS:
        host = args[0]
        wildcard = host is None or host in _WILDCARDS or host == b""
        return None if wildcard or is_loopback(host) else _shown(host)
    # A datagram socket that is connected already sends to no address; its connect was looked at.
    sock, address = (None, args[0]) if event == "socket.getnameinfo" else args[:2]
    if address is None or getattr(sock, "family", None) in _LOCAL_FAMILIES:
        return None
    if not isinstance(address, tuple) or not address:
        return _shown(address)
    return None if is_loopback(address[0]) else _shown(":".join(_shown(part) for part in address[:2]))


def _shown(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)


def _error(event: str, wanted: str) -> OfflineError:
    return OfflineError(
        f"refused a connection to {wanted} while offline",
        where=event,
        fix="leave out --offline to allow it, or find out which part of the program wants it",
    )
