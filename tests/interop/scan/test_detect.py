"""What a text holds: every shape, also behind base64, and nothing where there is nothing."""

from __future__ import annotations

import base64
import json

import pytest

from replaylab.interop.scan.detect import DETECTORS, ENCODED, Detective, masked
from replaylab.wire.redact import Redactor
from tests.wire.test_keyshapes import HEX, KEYS, MIXED, OTHERS

DETECTIVE = Detective(["a-known-value-of-a-key"])


@pytest.mark.parametrize(("before", "secret"), [*KEYS.items(), *OTHERS.items()])
def test_every_shape_is_found_and_never_repeated(before: str, secret: str) -> None:
    hits = DETECTIVE.hits(f"use {before}{secret} please")
    assert hits
    assert secret[4:20] not in str(hits)


@pytest.mark.parametrize(("before", "secret"), [*KEYS.items(), *OTHERS.items()])
def test_what_was_redacted_is_no_finding(before: str, secret: str) -> None:
    assert DETECTIVE.hits(Redactor().text(f"use {before}{secret} please")) == []


def test_a_known_value_is_found_whatever_it_looks_like_and_however_it_is_written() -> None:
    for text in ("a-known-value-of-a-key", base64.b64encode(b"x a-known-value-of-a-key y").decode()):
        (hit,) = DETECTIVE.hits(f"see {text}")
        assert hit.kind == ENCODED
        assert "known" not in hit.masked


def test_a_key_in_base64_is_found() -> None:
    text = base64.b64encode(("sk-" + MIXED[:40]).encode()).decode()
    assert [hit.kind for hit in DETECTIVE.hits(text)] == [ENCODED]


def test_the_detectors_of_the_library_are_all_there_and_add_to_ours() -> None:
    assert len(DETECTIVE._detectors) == len(DETECTORS)
    twilio = "SK" + HEX[:32]
    assert Redactor().text(twilio) == twilio
    assert "Twilio" in DETECTIVE.hits(twilio)[0].kind


def test_one_secret_of_two_names_is_one_finding() -> None:
    assert len(DETECTIVE.hits("token ghp_" + MIXED[:36])) == 1


def test_a_secret_deep_in_a_long_line_is_found() -> None:
    for before in (0, 19_990, 40_000):
        assert DETECTIVE.hits("x " * (before // 2) + "SK" + HEX[:32] + " y" * 30_000)


@pytest.mark.parametrize(
    "text",
    [
        "sha256:" + HEX[:64],
        "The password: hunter2 is what the guest was told.",
        "password = 'swordfish-and-chips'",
        json.dumps({"api_key_required": True, "max_tokens": 4096}),
        "call_8f3a9b2c7d1e4f60a5b9c8d7",
        "192.168.17.4 and 8.8.8.8",
        "3f9c1a" * 12,
    ],
)
def test_what_is_no_secret_is_none(text: str) -> None:
    assert DETECTIVE.hits(text) == []


def test_a_short_secret_is_hidden_whole() -> None:
    assert masked("hunter2!") == "… (8 characters)"
    assert masked("sk-abcdefghijklmnop") == "sk-a… (19 characters)"
