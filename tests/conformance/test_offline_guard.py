"""The guard in tests/conftest.py. Without it a test could call a model and nobody would notice."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).parents[1] / "conftest.py"

# 192.0.2.1 is set aside for documentation: no machine has it, and the guard refuses before anything is sent.
SWALLOWED = """
    import socket

    def test_swallows_the_refusal():
        try:
            socket.create_connection(("192.0.2.1", 9), timeout=0.1)
        except BaseException:
            pass
"""
LOOPBACK = """
    import socket

    def test_talks_to_itself():
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()
"""


@pytest.mark.parametrize(
    ("source", "outcome"), [(SWALLOWED, {"passed": 1, "errors": 1}), (LOOPBACK, {"passed": 1})]
)
def test_only_the_loopback_can_be_reached(
    pytester: pytest.Pytester, source: str, outcome: dict[str, int]
) -> None:
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    pytester.makepyfile(inspect.cleandoc(source))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(**outcome)
    if "errors" in outcome:
        result.stdout.fnmatch_lines(["*tried to connect to*192.0.2.1*"])
