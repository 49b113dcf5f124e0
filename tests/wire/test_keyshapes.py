"""Every shape finds what it is for, and what must stand in a match does."""

from __future__ import annotations

import pytest

from replaylab.wire.headershapes import HEADERS
from replaylab.wire.keyshapes import _KEYS, _OTHERS, named_shapes
from replaylab.wire.redact import Redactor

LOWER, DIGITS, UPPER = "qwertzuiopasdfghjkl" * 8, "8041937265" * 20, "QWERTZUIOPASDFGHJKL" * 8
MIXED = "".join(a + b + c for a, b, c in zip(LOWER, DIGITS, UPPER, strict=False)) * 2
HEX = "8a04f19c3b7265de" * 8

# Made of pieces, so that this file holds nothing that looks like a key.
KEYS = {
    "sk-": MIXED[:40],
    "sk-ant-": "api03-" + MIXED[:60],
    "sk-or-": "v1-" + HEX[:64],
    "sk_" + "live_": MIXED[:24],
    "whsec_": MIXED[:32],
    "sk" + "_": HEX[:48],
    "AIza": MIXED[:35],
    "ya29.": MIXED[:60],
    "GOCSPX-": MIXED[:28],
    "AKIA": (UPPER + DIGITS)[:8] + DIGITS[:8],
    "ghp_": MIXED[:36],
    "github_pat_": MIXED[:60],
    "glpat-": MIXED[:20],
    "glptt-": MIXED[:40],
    "xoxb-": MIXED[:40],
    "xapp-": MIXED[:40],
    "hooks.slack.com/services/": MIXED[:30],
    "discord.com/api/webhooks/123456789/": MIXED[:60],
    "hf_": MIXED[:34],
    "gsk_": MIXED[:52],
    "xai-": MIXED[:80],
    "pplx-": MIXED[:48],
    "nvapi-": MIXED[:64],
    "r8_": MIXED[:37],
    "csk-": MIXED[:48],
    "fw_": MIXED[:24],
    "tgp_v1_": MIXED[:43],
    "esecret_": MIXED[:30],
    "lsv2_pt_": HEX[:32] + "_" + HEX[:10],
    "tvly-": MIXED[:32],
    "jina_": MIXED[:60],
    "dapi": HEX[:32],
    "hvs.": MIXED[:90],
    "dop_v1_": HEX[:64],
    "shpat_": HEX[:32],
    "lin_api_": MIXED[:40],
    "ntn_": MIXED[:46],
    "PMAK-": MIXED[:24] + "-" + MIXED[:34],
    "ATATT3": MIXED[:150],
    "dckr_pat_": MIXED[:27],
    "figd_": MIXED[:40],
    "sbp_": HEX[:40],
    "AGE-SECRET-KEY-1": (UPPER + DIGITS)[:58],
    "npm_": MIXED[:36],
    "pypi-": MIXED[:80],
    "SG.": MIXED[:22] + "." + MIXED[:43],
    "ey" + "J": MIXED[:20] + "." + MIXED[:30] + "." + MIXED[:30],
}
OTHERS = {
    "-----BEGIN RSA PRIVATE" + " KEY-----\n": MIXED[:64] + "\n-----END RSA PRIVATE" + " KEY-----",
    "Authorization: Bearer ": MIXED[:32],
    "Authorization: Basic ": "dXNlcjpwYXNzd29yZA==",
    "postgres://user:": "hunter22@db",
    "https://bucket.s3.amazonaws.com/x?X-Amz-Expires=9&X-Amz-Signature=": HEX[:64],
    "https://bucket.s3.amazonaws.com/x?X-Amz-Security-Token=": MIXED[:100],
    "https://storage.googleapis.com/b/o?X-Goog-Expires=9&X-Goog-Signature=": HEX[:128],
    "https://a.blob.core.windows.net/c/b?sp=r&sv=2024-11-04&sr=b&sig=": MIXED[:40] + "%3D",
    "https://d.cloudfront.net/x?Expires=9&Signature=": MIXED[:40],
    "https://api.example.com/?api_key=": MIXED[:20],
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=": MIXED[:86] + "==",
    "aws_secret_access_key = ": MIXED[:40],
    "https://api.telegram.org/bot": "8041937265:AA" + MIXED[:33],
}


@pytest.mark.parametrize(("before", "secret"), [*KEYS.items(), *OTHERS.items()])
def test_every_shape_is_found_and_taken_out(before: str, secret: str) -> None:
    text = f'{{"said": "use {before}{secret} please"}}'
    clean = Redactor().text(text)
    assert secret.rstrip("=") not in clean
    assert clean.endswith(' please"}')
    assert named_shapes(text.encode())


def test_every_shape_has_an_example_here() -> None:
    found = {
        one.name for text in (*KEYS.items(), *OTHERS.items()) for one in named_shapes("".join(text).encode())
    }
    assert {one.name for one in (*_KEYS, *_OTHERS)} <= found


@pytest.mark.parametrize(("before", "secret"), [*KEYS.items(), *OTHERS.items()])
def test_what_has_to_stand_in_a_match_does(before: str, secret: str) -> None:
    data = (before + secret).encode()
    for one in (*_KEYS, *_OTHERS, *HEADERS):
        if one.pattern.search(data) is not None:
            seen = data if one in _KEYS else data.lower()
            assert any(needle in seen for needle in one.needles), one
            assert one.gate in seen


@pytest.mark.parametrize("before", KEYS)
def test_a_key_within_a_word_or_too_short_stays(before: str) -> None:
    for text in (f"x{before}{KEYS[before]}"[:4] + "…", f"a {before}abc b"):
        assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "task-1, task-22 and risk-assessment-of-the-whole-building",
        "sha256:" + HEX[:64],
        "https://example.com/a?page=2&sort=name&signature_required=yes",
        "AccountKey= is missing",
        "the ratio is 12345678:AAA",
        "GL-1234 gl-account-number-of-the-ledger",
        "fw_version=12, npm_config, hf_hub",
        "webhooks/123/x",
    ],
)
def test_what_only_looks_like_a_key_stays(text: str) -> None:
    assert Redactor().text(text) == text
