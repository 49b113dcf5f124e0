"""Ctrl-C and SIGTERM: what is in flight is finished and kept; a second signal stops at once."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.far import Bench, FarServer, ended, far_server, leftovers, on_disk, outcomes, until

OPTIONS = ("--run", "k", "--jobs", "4", "--task", "ed-sepsis-room,oncall-database-handover")


def interrupted(bench: Bench, server: FarServer, after: int, *signals: signal.Signals) -> tuple[int, str]:
    """Start a recording and send the signals once so many calls were made. Exit code and stderr."""
    target = len(server.counting.asked) + after
    process = bench.record()
    until(lambda: len(server.counting.asked) >= target or process.poll() is not None)
    for number in signals:
        process.send_signal(number)
    done = ended(process)
    return done.code, done.out + done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_signal_lets_the_calls_in_flight_finish_and_the_next_record_asks_only_the_rest(
    tmp_path: Path, number: signal.Signals, jobs: str
) -> None:
    with far_server(delay_ms=60) as server:
        bench = Bench(tmp_path, server, (*OPTIONS, "--jobs", jobs))
        code, said = interrupted(bench, server, 7, number)
        assert (code, "interrupted" in said) == (130, True), said
        held = on_disk(bench.library)
        assert Counter(server.settled()) == held.bodies
        assert ended(bench.record()).code == 0
        assert Counter(server.settled()) == on_disk(bench.library).bodies
        assert leftovers(bench.library) == []


def test_a_second_signal_stops_at_once_and_keeps_what_was_journaled(tmp_path: Path) -> None:
    with far_server(delay_ms=3_600_000) as server:
        bench = Bench(tmp_path, server, OPTIONS)
        process = bench.record()
        until(lambda: server.counting.asked)
        process.send_signal(signal.SIGINT)
        # The first is being heeded: the process waits for its answers, and nothing else tells that it arrived.
        with pytest.raises(AssertionError):
            until(lambda: process.poll() is not None, patience_s=1)
        process.send_signal(signal.SIGTERM)
        assert ended(process).code == 130
        server.stopping.set()  # answers at once from here on
        assert ended(bench.record()).code == 0
        assert outcomes(bench.library, "k")[0]


def test_a_stop_does_not_wait_for_a_retry_or_for_the_rate_limiter(tmp_path: Path) -> None:
    with far_server() as server:
        server.counting.busy = True
        bench = Bench(tmp_path, server, OPTIONS)
        process = bench.record()
        until(lambda: server.counting.asked)
        process.send_signal(signal.SIGINT)
        assert ended(process).code == 130
        assert leftovers(bench.library) == []
