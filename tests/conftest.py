"""What every test gets: no way out of this machine, and the same examples on every run."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO = Path(__file__).resolve().parents[1]

# The machine is shared and slow at times, so no deadline; the examples are the same everywhere unless
# someone asks to explore: HYPOTHESIS_PROFILE=explore.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# A suite that is started in the background inherits an ignored SIGINT, and hands it on to the commands it starts; the
# tests of Ctrl-C need it to arrive.
signal.signal(signal.SIGINT, signal.default_int_handler)


class WentOutsideError(AssertionError):
    """A test tried to reach an address that is not on this machine."""


def _is_loopback(address: object) -> bool:
    """Whether a socket address stays here: a Unix path, the loopback range, or its name."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that connects outside, even if the code under test swallowed the refusal."""
    seen: list[object] = []

    def guarded(name: str) -> Any:
        original = getattr(socket.socket, name)

        def connect(self: socket.socket, address: object) -> object:
            if not _is_loopback(address):
                seen.append(address)
                message = f"{name} to {address!r}: tests use the loopback network only"
                raise WentOutsideError(message)
            return original(self, address)

        return connect

    monkeypatch.setattr(socket.socket, "connect", guarded("connect"))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded("connect_ex"))
    yield
    # A command that ran here with --offline refuses the network to its process: to this test, and not to the next ones.
    if (module := sys.modules.get("replaylab.wire.offline")) is not None:
        module.allow_network()
    assert not seen, f"tried to connect to {seen}"


@pytest.fixture(scope="session")
def occubench() -> Path:
    """The folder with the published OccuBench data, which is never copied into this project."""
    folder = Path(os.environ.get("REPLAYLAB_OCCUBENCH", REPO.parent / "shared" / "occubench"))
    if not (folder / "eval_benchmark_solvable.jsonl").is_file():
        pytest.skip(f"OccuBench data not at {folder}: set REPLAYLAB_OCCUBENCH to its folder. NOT TESTED.")
    return folder
