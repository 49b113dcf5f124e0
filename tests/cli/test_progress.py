from __future__ import annotations

import io
import threading
from decimal import Decimal

from replaylab.cli.progress import Progress, line, money, span, used


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_elsewhere_than_on_a_terminal_a_line_appears_every_five_seconds_and_at_the_end() -> None:
    err, clock = io.StringIO(), Clock()
    with Progress("record", err=err, terminal=False, clock=clock) as progress:
        for second in range(12):
            clock.now = 100.0 + second
            progress.update(second, 12, second * 3, 10, Decimal("0.5"))
    lines = err.getvalue().splitlines()
    assert [text.split()[1] for text in lines] == ["0/12", "5/12", "10/12", "11/12"]


def test_a_last_line_is_not_written_twice() -> None:
    err = io.StringIO()
    with Progress("record", err=err, terminal=False, clock=Clock()) as progress:
        progress.update(1, 1, 1, 1, None)
    assert len(err.getvalue().splitlines()) == 1


def test_nothing_to_report_writes_nothing() -> None:
    err = io.StringIO()
    with Progress("record", err=err, terminal=False):
        pass
    assert err.getvalue() == ""


def test_trials_of_an_earlier_run_do_not_count_for_the_time_left() -> None:
    err, clock = io.StringIO(), Clock()
    with Progress("record", err=err, terminal=False, clock=clock) as progress:
        progress.update(90, 100, 0, 0, None)
        clock.now += 10
        progress.update(95, 100, 0, 0, None)
    first, second = err.getvalue().splitlines()
    assert "left" not in first
    assert second.endswith("10 s left")


def test_an_unknown_cost_is_said_and_not_shown_as_zero() -> None:
    assert "cost unknown" in used(3, 4, None)
    assert line("x", 1, 2, used=used(1, 4, Decimal(0))) == "x: 1/2 trials, 1 call, 4 tokens, $0"


def test_a_cost_that_nobody_set_a_price_for_is_told_from_an_unknown_one() -> None:
    err = io.StringIO()
    with Progress("record", unpriced="no price set", err=err, terminal=False, clock=Clock()) as progress:
        progress.update(1, 1, 1, 1234567, None)
    assert err.getvalue() == "record: 1/1 trials, 1 call, 1,234,567 tokens, no price set\n"


def test_a_cost_below_a_dollar_shows_its_fractions() -> None:
    assert [money(Decimal(text)) for text in ("0.00012", "0.5", "12.346")] == ["$0.0001", "$0.5000", "$12.35"]


def test_durations_read_like_durations() -> None:
    assert [span(s) for s in (0.4, 59.4, 59.6, 3599, 7620)] == [
        "0 s",
        "59 s",
        "1 min 00 s",
        "59 min 59 s",
        "2 h 07 min",
    ]


def test_on_a_terminal_a_bar_is_drawn_on_stderr() -> None:
    err = io.StringIO()
    with Progress("record", err=err, terminal=True) as progress:
        progress.update(1, 2, 3, 4, Decimal(5))
    assert "record: 1/2 trials, 3 calls, 4 tokens, $5.00" in err.getvalue()


def test_many_threads_may_report() -> None:
    err = io.StringIO()
    with Progress("record", err=err, terminal=False, clock=Clock()) as progress:
        threads = [threading.Thread(target=progress.update, args=(n, 8, n, n, None)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(text.startswith("record: ") for text in err.getvalue().splitlines())


def test_a_message_goes_to_stderr_with_and_without_a_bar() -> None:
    for terminal in (True, False):
        err = io.StringIO()
        with Progress("record", err=err, terminal=terminal) as progress:
            progress.update(1, 2, 3, 4, None)
            progress.say("trial [x] failed\x1b[2J")
        assert "trial [x] failed\\x1b[2J\n" in err.getvalue()
