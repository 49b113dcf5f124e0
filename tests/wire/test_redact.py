"""No 8-character piece of a key survives, in whatever form; and nothing else changes."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.wire.redact import PLACEHOLDER, Redactor

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
RANDOM = random.Random(7)


def letters(size: int) -> str:
    return "".join(RANDOM.choice(ALPHABET) for _ in range(size))


KEY = "sk-proj-" + letters(40) + "_" + letters(40) + "-" + letters(32)
OTHER = letters(8) + "/" + letters(24) + "+" + letters(10)  # of no known shape, as an AWS secret key
KNOWN = Redactor([KEY, OTHER, "short"])
PLAIN = Redactor()


# ------------------------------------------------------------- an oracle that shares nothing with the redactor


def readings(data: bytes, depth: int = 3) -> set[bytes]:
    """`data` and whatever it decodes to."""
    seen = {data}
    if depth == 0:
        return seen
    fresh = [
        unquote_to_bytes(data),
        re.sub(rb"\\u00([0-9a-fA-F]{2})", lambda m: bytes.fromhex(m[1].decode()), data),
    ]
    fresh.append(re.sub(rb"\\([/\\\"])", lambda m: m[1], data))
    for run in re.findall(rb"[A-Za-z0-9+/_-]{11,}", data):
        for phase in range(4):
            part = run[phase:].replace(b"-", b"+").replace(b"_", b"/")
            fresh.append(base64.b64decode(part[: len(part) // 4 * 4]))
            fresh.append(base64.b64decode(part + b"A" * (-len(part) % 4)))
    for run in re.findall(rb"[0-9a-fA-F]{16,}", data):
        fresh += [bytes.fromhex(run[at : at + (len(run) - at) // 2 * 2].decode()) for at in (0, 1)]
    for reading in fresh:
        if reading not in seen and len(reading) >= 8:
            seen |= readings(reading, depth - 1)
    return seen


def pieces_left(data: bytes, *keys: str) -> set[str]:
    joined = readings(data)
    grams = {key[at : at + 8] for key in keys for at in range(len(key) - 7)}
    return {gram for gram in grams if any(gram.encode() in reading for reading in joined)}


def urlsafe(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


def standard(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


FORMS: dict[str, Any] = {
    "plain": str,
    "json": json.dumps,
    "all escaped": escaped,
    "first escaped": lambda text: escaped(text[:1]) + text[1:],
    "slashes escaped": lambda text: text.replace("/", "\\/"),
    "escaped twice": lambda text: escaped(text).replace("\\", "\\\\"),
    "quoted": lambda text: quote(text, safe=""),
    "all quoted": lambda text: "".join(f"%{ord(char):02X}" for char in text),
    "quoted twice": lambda text: quote(quote(text, safe=""), safe=""),
    "base64": standard,
    "base64, one before": lambda text: standard("!" + text),
    "base64, two before": lambda text: standard("!?" + text),
    "base64url": urlsafe,
    "base64url, one before": lambda text: urlsafe("~" + text),
    "base64 quoted": lambda text: quote(standard(text), safe=""),
    "base64 with escaped slashes": lambda text: standard(text).replace("/", "\\/"),
    "base64 of JSON with escapes": lambda text: standard(f'{{"k": "{escaped(text)}"}}'),
    "base64 of base64": lambda text: standard(standard(text)),
    "data url": lambda text: "data:application/json;base64," + standard('{"a": "' + text + '"}'),
    "hex": lambda text: text.encode().hex(),
    "HEX, odd": lambda text: "A" + text.encode().hex().upper(),
}

PROSE = st.text(st.sampled_from('abc xyz"\\\n\t/%+=-_.é0123\x00'), max_size=30)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), before=PROSE, after=PROSE)
def test_no_piece_of_a_known_key_survives_in_any_form(
    form: str, data: st.DataObject, before: str, after: str
) -> None:
    key = data.draw(st.sampled_from([KEY, OTHER]))
    # What is encoded twice is looked into from some 26 characters on.
    shortest = 24 if form == "base64 of base64" else 8
    start = data.draw(st.integers(0, len(key) - shortest))
    piece = key[start : data.draw(st.integers(start + shortest, len(key)))]
    text = before + FORMS[form](piece) + after
    clean = KNOWN.body(text.encode())
    assert PLACEHOLDER.encode() in clean
    assert not pieces_left(clean, piece)
    assert KNOWN.body(clean) is clean
    assert KNOWN.text(text) == clean.decode()


KEYS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x17F, exclude_characters='"\\*'), min_size=8, max_size=40
)


@given(
    KEYS,
    PROSE,
    PROSE,
    st.sampled_from(sorted(set(FORMS) - {"base64 of base64", "base64 of JSON with escapes"})),
)
def test_keys_of_any_alphabet_are_found(key: str, before: str, after: str, form: str) -> None:
    if not key.strip().isascii() or key != key.strip() or len(key) < 8:
        form = "plain"
    clean = Redactor([key]).body((before + FORMS[form](key.strip()) + after).encode())
    assert not pieces_left(clean, *([key.strip()] if key.isascii() else []))
    assert key.strip().encode() not in clean
    clean.decode()


@given(st.integers(0, len(KEY) - 8), PROSE, PROSE)
def test_json_stays_json(start: int, before: str, after: str) -> None:
    nested = json.dumps({"a": before + " " + KEY[start:] + after})
    for value in ({"x": before + "\n " + KEY[start:] + after}, {"arguments": nested}, {KEY: 1}):
        for ascii_only in (True, False):
            clean = json.loads(KNOWN.body(json.dumps(value, ensure_ascii=ascii_only).encode()))
            assert clean == KNOWN.value(value)
            json.loads(clean.get("arguments", "0"))
    for text in (json.dumps(before + "\n" + KEY[start:] + after), json.dumps(json.dumps("\n" + KEY[start:]))):
        json.loads(KNOWN.body(text.encode()))


def test_a_piece_that_begins_with_the_letter_of_an_escape_takes_the_escape_along() -> None:
    redactor = Redactor(["xyn0123456789abcdef"])
    clean = redactor.body(b'{"a": "line\\n0123456789abc", "b": "{\\"c\\": \\"line\\\\n0123456789abc\\"}"}')
    assert json.loads(json.loads(clean)["b"]) == {"c": f"line{PLACEHOLDER}"}


def test_a_key_cut_off_at_the_end_goes_from_its_eighth_character_on() -> None:
    assert KNOWN.body(b'{"k": "' + OTHER[:8].encode()) == b'{"k": "' + PLACEHOLDER.encode()
    assert KNOWN.body(b'{"k": "' + OTHER[:7].encode()).endswith(OTHER[:7].encode())


def test_the_placeholder_is_the_same_for_every_secret() -> None:
    assert KNOWN.text(f"a {KEY} b") == KNOWN.text(f"a {OTHER} b") == f"a {PLACEHOLDER} b"


def test_secrets_shorter_than_a_piece_are_ignored() -> None:
    assert KNOWN.text("a short text") == "a short text"


def test_a_secret_with_line_ends_is_found_in_json() -> None:
    secret = "first line here\nsecond line here"
    assert (
        Redactor([secret]).body(json.dumps({"k": secret}).encode()) == b'{"k": "%s"}' % PLACEHOLDER.encode()
    )


def test_binary_bodies_are_scanned() -> None:
    body = bytes(range(256)) + OTHER.encode() + bytes(range(255, -1, -1))
    assert KNOWN.body(body) == bytes(range(256)) + PLACEHOLDER.encode() + bytes(range(255, -1, -1))


# ------------------------------------------------------------------------------------------------ key shapes

JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}', bytes(range(32)))
)
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(letters(64) for _ in range(4))
    + "\nabc=\n-----END RSA PRIVATE KEY-----"
)
SHAPED = {
    "openai": "sk-" + letters(48),
    "openai project": KEY,
    "anthropic": "sk-ant-api03-" + letters(40) + "-" + letters(40) + "AA",
    "openrouter": "sk-or-v1-" + hashlib.sha256(b"x").hexdigest(),
    "deepseek": "sk-" + hashlib.md5(b"x").hexdigest(),
    "google": "AIza" + letters(35),
    "aws": "AKIA" + letters(16).upper(),
    "github": "ghp_" + letters(36),
    "github fine-grained": "github_pat_" + letters(22) + "_" + letters(59),
    "slack": "xoxb-" + "1234567890-1234567890-" + letters(24),
    "huggingface": "hf_" + letters(34),
    "groq": "gsk_" + letters(52),
    "stripe": "sk_live_" + letters(24),
    "jwt": JWT,
    "pem": PEM,
}
AROUND = {
    "nothing": "{}",
    "prose": "the key {}, and more",
    "a new line in JSON": '{{"a": "x\\n{}"}}',
    "a JSON string": '{{"a": "{}"}}',
    "an environment line": "export API_KEY={}\n",
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", SHAPED)
def test_well_known_keys_go_whole_without_being_known(name: str, around: str) -> None:
    template = AROUND[around]
    assert PLAIN.text(template.format(SHAPED[name])) == template.format(PLACEHOLDER)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SHAPED)
def test_well_known_keys_are_found_in_any_form(name: str, form: str) -> None:
    clean = PLAIN.body(f"before {FORMS[form](SHAPED[name])} after".encode())
    assert not pieces_left(clean, *(line for line in SHAPED[name].splitlines() if "-----" not in line))
    assert PLAIN.body(clean) is clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abc123-not-a-known-shape", "Authorization: Bearer {}"),
        ("curl -H 'authorization: basic dXNlcjpwYXNz'", "curl -H 'authorization: basic {}'"),
        ('{"Authorization": "Bearer opaqueopaque"}', '{"Authorization": "Bearer {}"}'),
        ("x\\nBearer opaqueOpaqueOpaque1", "x\\nBearer {}"),
        ("postgres://admin:hunter2@db.example/x", "postgres://{}@db.example/x"),
        ("https://token@example.com/", "https://{}@example.com/"),
        ("https://h/p?a=1&key=abcdefgh12&b=2", "https://h/p?a=1&key={}&b=2"),
        ("https://h/p?api_key=abcdefgh12", "https://h/p?api_key={}"),
        ("https://h/p?access_token=abcdefgh12#f", "https://h/p?access_token={}#f"),
        ("https://h/p?x=1\\u0026token=abcdefgh12", "https://h/p?x=1\\u0026token={}"),
    ],
)
def test_credentials_in_headers_and_urls_go_and_the_rest_stays(text: str, clean: str) -> None:
    assert PLAIN.text(text) == clean.replace("{}", PLACEHOLDER)
    assert PLAIN.text(PLAIN.text(text)) == PLAIN.text(text)


def test_a_private_key_that_is_cut_off_goes_to_its_end() -> None:
    assert PLAIN.text("x " + PEM[:150]) == f"x {PLACEHOLDER}"


# --------------------------------------------------------------------------------------- what has to stay

INNOCENT = [
    '{"max_tokens": 4096, "usage": {"prompt_tokens": 12345678, "completion_tokens": 99}, "key": "value-of-a-field"}',
    '{"token": "next_page_token_of_a_listing", "api_key_env": "OPENAI_API_KEY", "secret": "none", "password": ""}',
    "The bearer of this certificate (a bearer bond, Bearer authentication) may not exceed 50% of 100%.",
    "Task-1234567890-abcdefghijklmnop, desk-booking-2024-confirmation-number, risk-assessment-of-the-year",
    "sk-estimator-doc-link sk-top-container-with-a-long-name sk-learn",
    "order ORD-2024-00001234567890, tracking 1Z999AA10123456784, IBAN DE89370400440532013000",
    "https://example.com/search?query=key&page_token=abcdef123456&max_tokens=12345678&sort=key",
    "mail a.b@example.com or see https://example.com/@user and http://localhost:8080/v1",
    "call_AbCdEfGhIjKlMnOpQrStUvWx chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ12 resp_68a1b2c3d4e5f6",
    "2024-05-17T10:11:12.123456+00:00 4111111111111111 C:\\new\\users\\table",
    "eyJust a word, AKIA alone, AIza, hf_token, gsk_, ghp_, xoxb-, -----BEGIN PRIVATE KEY----- alone",
    "-----BEGIN CERTIFICATE-----\nMIIB" + "A1b2" * 16 + "\n-----END CERTIFICATE-----",
    "\ud800 a lone surrogate, \u0000 a nul, ünïcödé, 漢字, 😀 and \\u0041\\u00e9 %41%zz",
    "*REDACTED*",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_text_stays(text: str) -> None:
    for redactor in (PLAIN, KNOWN):
        assert redactor.text(text) is text
        for body in (text.encode("utf-8", "surrogatepass"), json.dumps({"a": text}).encode()):
            assert redactor.body(body) is body
            assert redactor.body(base64.b64encode(body)) == base64.b64encode(body)


def test_digests_uuids_and_pictures_stay() -> None:
    noise = random.Random(3)
    digests = " ".join(hashlib.sha256(bytes([index])).hexdigest() for index in range(200))
    uuids = "\n".join(
        f"{noise.randbytes(4).hex()}-{noise.randbytes(2).hex()}-4abc-8def-{noise.randbytes(6).hex()}"
        for _ in range(200)
    )
    picture = "data:image/png;base64," + base64.b64encode(noise.randbytes(200_000)).decode()
    signature = base64.urlsafe_b64encode(noise.randbytes(20_000)).decode()
    for text in (digests, uuids, picture, signature):
        assert PLAIN.text(text) is text
        assert KNOWN.text(text) is text


@given(st.binary(max_size=300) | PROSE.map(str.encode))
def test_bytes_without_secrets_are_the_same_object(data: bytes) -> None:
    assert KNOWN.body(data) is data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PROSE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PROSE, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_value_without_secrets_is_the_same_object(value: Any) -> None:
    assert KNOWN.value(value) is value


def test_a_value_keeps_whatever_part_did_not_change() -> None:
    innocent = {"max_tokens": 5, "list": [1, 2.0, None, True]}
    value: dict[str, Any] = {"a": innocent, "b": [innocent, {KEY: [f"x {KEY}"]}], "n": 10**30}
    clean = KNOWN.value(value)
    assert clean == {"a": innocent, "b": [innocent, {PLACEHOLDER: [f"x {PLACEHOLDER}"]}], "n": 10**30}
    assert clean["a"] is innocent
    assert clean["b"][0] is innocent
    assert value["b"][1] == {KEY: [f"x {KEY}"]}


# ------------------------------------------------------------------------------------------ URLs and headers


def test_a_url_loses_user_and_keys_even_short_ones() -> None:
    clean = PLAIN.url("https://u:p@h.example/v1?key=abc&model=m&token=1#top")
    assert clean == f"https://{PLACEHOLDER}@h.example/v1?key={PLACEHOLDER}&model=m&token={PLACEHOLDER}#top"
    assert PLAIN.url(clean) == clean


def test_only_listed_response_headers_are_kept() -> None:
    headers = [
        ("Content-Type", "text/event-stream"),
        ("X-RateLimit-Remaining-Tokens", "10"),
        ("x-request-id", f"req-{KEY}"),
        ("Retry-After", "1"),
        ("retry-after-ms", "7"),
        ("X-Replaylab-Seeded", "[]"),
        ("Date", "Tue, 01 Dec 2026 08:00:00 GMT"),
        ("Set-Cookie", "a=b"),
        ("Authorization", f"Bearer {KEY}"),
        ("openai-organization", "org-1"),
        ("openai-version", "1"),
        ("OpenAI-Version", "2"),
    ]
    assert KNOWN.headers(headers) == {
        "content-type": "text/event-stream",
        "openai-version": "1, 2",
        "retry-after": "1",
        "retry-after-ms": "7",
        "x-ratelimit-remaining-tokens": "10",
        "x-replaylab-seeded": "[]",
        "x-request-id": f"req-{PLACEHOLDER}",
    }


def test_a_key_in_the_base64_of_binary_data_is_cut_out_where_it_stands() -> None:
    head, tail = bytes(range(128, 158)), bytes(range(160, 190))
    clean = PLAIN.body(base64.b64encode(head + b" " + SHAPED["openai"].encode() + b" " + tail))
    before, after = clean.split(PLACEHOLDER.encode())
    assert base64.b64decode(before + b"A" * (-len(before) % 4)).startswith(head)
    assert tail[3:] in base64.b64decode(after[-40:])


def test_a_cut_never_halves_a_character() -> None:
    # The second byte of the first letter is that of the secret's own: D1 BA and D0 BA.
    assert Redactor(["ключ-секрет"]).text("Ѻлюч-секре") == PLACEHOLDER


def test_one_that_knows_more_secrets_knows_the_old_ones_too_and_leaves_the_first_as_it_was() -> None:
    first = Redactor(["Qz8vT3nB7mK1"])
    more = first.knowing({"Wm4xR9pL2sD6"})
    assert more.text("Qz8vT3nB7mK1 Wm4xR9pL2sD6") == f"{PLACEHOLDER} {PLACEHOLDER}"
    assert first.text("Wm4xR9pL2sD6") == "Wm4xR9pL2sD6"
    assert first.knowing(()) is first
