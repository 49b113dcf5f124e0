"""How the SDK's reports are shown."""

from __future__ import annotations

import logging

from replaylab.foreign.mcp.log import OneLine


def test_a_report_is_one_line_without_a_traceback() -> None:
    behind = (ValueError, ValueError("two\nlines"), None)
    record = logging.LogRecord("mcp.x", logging.ERROR, "f", 1, "it\nfailed: %s", ("a",), behind)
    assert OneLine().format(record) == "MCP: it failed: a (ValueError)"


def test_one_without_an_exception_is_what_it_says() -> None:
    record = logging.LogRecord("mcp.x", logging.WARNING, "f", 1, "odd", (), None)
    assert OneLine().format(record) == "MCP: odd"
