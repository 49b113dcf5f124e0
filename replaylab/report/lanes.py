"""The raw interactions of a trial on a page: what each request added, and every attempt as it was recorded."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field

from replaylab.report.markup import Html, code, facts, join, listing, tag, text
from replaylab.report.pretty import pretty
from replaylab.report.view import Asked, Trial
from replaylab.schema.base import Json
from replaylab.schema.cassette import Blob
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.outcome import body_bytes
from replaylab.wire.completion import body_text


@dataclass
class Shown:
    """The blobs that the page shows already: each is written once and linked to from then on."""

    blobs: set[str] = field(default_factory=set)


def lanes_html(trial: Trial, anchor: str, shown: Shown) -> Html:
    """Every lane, closed, each interaction closed in it."""
    return join(_lane(trial, lane, anchor, shown) for lane in trial.lanes)


def _lane(trial: Trial, lane: str, anchor: str, shown: Shown) -> Html:
    tally = trial.tally(lane)
    words = f"{tally.calls} interactions, tokens {tally.in_and_out}"
    summary = tag("summary", code(lane), text(f" {words}"))
    inner = [
        _asked(asked, f"{anchor}-{lane.replace('.', '-')}-{asked.ordinal}", shown)
        for asked in trial.asked(lane)
    ]
    return tag("details", summary, *inner, class_="lane")


def _asked(asked: Asked, anchor: str, shown: Shown) -> Html:
    row, result = asked.row, asked.result
    ended = result.kind if isinstance(result, Failure) else str(row.final.status)
    line = asked.brief
    brief = line if len(line) <= 100 else f"{line[:100]}…"
    summary = tag(
        "summary",
        code(f"#{asked.ordinal}"),
        text(f" {ended}, {row.final.latency_ms:,.0f} ms "),
        tag("bdi", text(brief)),
    )
    tokens = (
        f"{row.usage.prompt_tokens:,} in, {row.usage.completion_tokens:,} out" if row.usage else "not counted"
    )
    about = facts(
        (
            ("CallPath", code(row.path)),
            ("Request", code(f"{row.request.form} {row.request.digest}")),
            ("Outcome", code(row.outcome)),
            ("Asked", text(f"{row.request.alias}: {row.request.method} {row.request.path}")),
            ("Answered by", text(row.answered_by or "not said")),
            ("Tokens", text(tokens)),
        )
    )
    attempts = [_attempt(number, attempt) for number, attempt in enumerate(row.attempts)]
    return tag("details", summary, about, _request(asked, shown), *attempts, class_="asked", id=anchor)


def _request(asked: Asked, shown: Shown) -> Html:
    request, cassette = asked.row.request, asked.cassette
    parts: list[str] = []
    if request.continues is not None:
        parts.append(
            tag(
                "p",
                text(f"The first {request.keep} messages of #{request.continues}, and then:"),
                class_="note",
            )
        )
    parts += [_blob("message", cassette.blob(name), shown) for name in request.adds]
    for name, part in (("tools", request.tools), ("other fields", request.params), ("raw body", request.raw)):
        if part:
            parts.append(_blob(name, cassette.blob(part), shown))
    return tag("section", tag("p", text("Request"), class_="role"), *parts, class_="said request")


def _blob(name: str, blob: Blob, shown: Shown) -> Html:
    """A part of a request. It is written where the page needs it first."""
    value = blob.value if blob.b64 is None else f"base64 {blob.b64}"
    label = (
        f"{name}: {value['role']}" if isinstance(value, dict) and isinstance(value.get("role"), str) else name
    )
    anchor = f"b-{blob.digest[:16]}"
    if blob.digest in shown.blobs:
        return tag(
            "p", text(f"{label} "), f'<a href="#{anchor}">', code(blob.digest[:16]), "</a>", text(" (above)")
        )
    shown.blobs.add(blob.digest)
    head = tag("p", text(f"{label} "), code(blob.digest[:16]), class_="role")
    return tag("div", head, listing(_words(value)), id=anchor, tabindex="-1")


def _words(value: Json) -> str:
    """A message by its text where that says all, else as JSON."""
    if isinstance(value, dict) and set(value) == {"role", "content"} and isinstance(value["content"], str):
        return value["content"]
    return pretty(value)


def _attempt(number: int, attempt: Attempt) -> Html:
    said = f"Attempt {number}: {attempt.status or 'no status'}, {attempt.latency_ms:,.0f} ms"
    parts = [tag("p", text(said), class_="role")]
    if attempt.failure:
        parts.append(tag("p", text(f"{attempt.failure.kind}: {attempt.failure.message}"), class_="note"))
    if not attempt.complete:
        parts.append(tag("p", text("The body was cut before its end."), class_="note"))
    if attempt.headers:
        parts.append(
            listing("\n".join(f"{name}: {value}" for name, value in sorted(attempt.headers.items())))
        )
    if attempt.chunks:
        last = attempt.chunks[-1].ms
        arrived = f"{len(attempt.chunks)} pieces, the first after {attempt.chunks[0].ms:,.0f} ms, the last after {last:,.0f} ms"
        parts.append(tag("p", text(arrived), class_="note"))
    body = body_text(attempt)
    parts.append(listing(body if body is not None else f"base64 {b64encode(body_bytes(attempt)).decode()}"))
    return tag("section", *parts, class_="said response")
