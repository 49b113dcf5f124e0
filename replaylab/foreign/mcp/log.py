"""What the MCP SDK reports to nobody in particular: one line each on stderr, and never a traceback.

It logs what a client does wrong, such as half a request, as if the server were broken; and where a program has set up no
logging, Python writes such reports with their traceback to stderr.
"""

from __future__ import annotations

import logging


class OneLine(logging.Formatter):
    """A report as one line, with the name of the exception behind it."""

    def format(self, record: logging.LogRecord) -> str:
        said = " ".join(record.getMessage().split())[:300]
        kind = record.exc_info[0] if record.exc_info else None
        return f"MCP: {said} ({kind.__name__})" if kind else f"MCP: {said}"


def report_in_lines() -> None:
    """From now on, unless the program that this is part of has set up logging itself."""
    logger = logging.getLogger("mcp")
    if logger.hasHandlers():
        return
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(OneLine())
    logger.addHandler(handler)
