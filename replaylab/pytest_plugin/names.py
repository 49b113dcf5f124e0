"""The run name of a test: readable, safe as a file name, and another one for each test."""

from __future__ import annotations

import hashlib
import re

_ODD = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST = 80


def run_name(node_id: str) -> str:
    """`tests/test_shop.py::test_order[de]` is `test.tests-test_shop-py-test_order-de.` and 10 hex digits of its digest.

    The digits tell apart what differs only in characters that a name can't have, or in case.
    """
    plain = _ODD.sub("-", node_id).strip("-")
    if len(plain) > _LONGEST:
        plain = plain[-_LONGEST:].lstrip("-")  # its end says which test it is
    digits = hashlib.sha256(node_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"test.{plain}.{digits}"
