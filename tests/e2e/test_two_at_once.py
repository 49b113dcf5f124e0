"""Two `record` of one run at the same time, and one after another was killed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.e2e.far import Bench, ended, far_server, leftovers, on_disk, until

OPTIONS = ("--run", "k", "--jobs", "4", "--task", "ed-sepsis-room,oncall-database-handover")


def test_the_second_record_of_a_run_is_refused_and_says_who_holds_it(tmp_path: Path) -> None:
    with far_server(delay_ms=3_600_000) as server:
        bench = Bench(tmp_path, server, OPTIONS)
        first = bench.record()
        until(lambda: server.counting.asked)
        refused = ended(bench.record())
        other = bench.start("record", *OPTIONS, "--run", "other", "--max-calls", "0")
        assert ended(other).code == 1  # a run of another name does not mind
        server.stopping.set()  # answers at once from here on
        assert ended(first).code == 0
        assert refused.code == 2
        assert f"process {first.pid}" in refused.err
        assert "run k" in refused.err
        assert Counter(server.settled()) == on_disk(bench.library).bodies
        assert bench.run("verify").code == 0
        assert leftovers(bench.library) == []


def test_after_the_holder_was_killed_the_next_record_goes_on_at_once(tmp_path: Path) -> None:
    with far_server() as server:
        bench = Bench(tmp_path, server, OPTIONS)
        first = bench.record()
        until(lambda: len(server.counting.asked) >= 9)
        first.kill()
        first.wait()
        done = ended(bench.record())
        assert done.code == 0, done.err
        first.communicate()
        assert leftovers(bench.library) == []
