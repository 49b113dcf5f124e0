from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from replaylab.engine.seams import real_seams


def test_now_is_utc_with_milliseconds_whatever_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        text = real_seams().now()
    finally:
        monkeypatch.undo()
        time.tzset()
    assert len(text) == len("2026-01-02T03:04:05.678Z")
    assert text.endswith("Z")
    assert abs((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()) < 60


def test_elapsed_is_monotonic_and_in_milliseconds() -> None:
    seams = real_seams()
    before = seams.elapsed_ms()
    seams.sleep(0.02)
    assert 20 <= seams.elapsed_ms() - before < 10_000
