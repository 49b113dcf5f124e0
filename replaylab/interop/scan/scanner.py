"""Scans places for secrets. A finding says where and what kind, and never the secret."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from replaylab.canonical import digest
from replaylab.interop.scan.detect import Detective
from replaylab.interop.scan.places import Text, Unread
from replaylab.schema.finding import Finding

KIND = "secret"
UNREAD = "unread"


@dataclass
class Scanned:
    """What was looked at."""

    texts: int = 0
    characters: int = 0
    unread: int = 0


def scan(places: Iterable[Text | Unread], detective: Detective, scanned: Scanned) -> Iterator[Finding]:
    """A finding for each secret at each place; a place that can't be looked into is one too."""
    clean: set[str] = set()
    told: set[str] = set()
    for place in places:
        if isinstance(place, Unread):
            scanned.unread += 1
            yield Finding.of(UNREAD, place.where, f"nobody knows what it holds: {place.why}")
            continue
        scanned.texts += 1
        scanned.characters += len(place.text)
        # The same text comes again and again, in every cassette of a run.
        key = place.text if len(place.text) < 64 else digest(place.text) if place.text.isascii() else ""
        if key and key in clean:
            continue
        hits = detective.hits(place.text)
        if key and not hits:
            clean.add(key)
        for hit in hits:
            name = digest(["secret/1", hit.kind, place.where, place.pointer, hit.masked])[:12]
            if name in told:
                continue
            told.add(name)
            yield Finding(
                id=name,
                kind=KIND,
                where=place.where,
                observed=hit.masked,
                message=f"it looks like a secret: {hit.kind}",
                pointer=place.pointer,
            )
