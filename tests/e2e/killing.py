"""Kills a recording again and again and keeps the accounts: what was asked, what is on the disk, what was lost."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from tests.e2e.far import Bench, Ended, FarServer, OnDisk, ended, leftovers, on_disk, outcomes, until

JOBS = 4


def undisturbed(bench: Bench) -> tuple[OnDisk, tuple[str, dict[str, str]]]:
    """Record to the end; every call is made once."""
    before = len(bench.server.counting.asked)
    done = ended(bench.record())
    assert done.code == 0, done.err
    held = on_disk(bench.library)
    asked = bench.server.settled()[before:]
    assert Counter(asked) == held.bodies
    assert held.attempts == len(asked)
    return held, outcomes(bench.library, "k")


class Accounts:
    """After each session: who was asked in it, and what of that reached the disk."""

    def __init__(self, bench: Bench, needed: OnDisk) -> None:
        self.bench, self.needed = bench, needed
        self.asked = len(bench.server.counting.asked)
        self.first = self.asked
        self.held = OnDisk({}, 0)
        self.lost: list[int] = []

    def close_session(self) -> None:
        """Count. Whatever was asked is on the disk or was in flight, and nothing that was there is asked again."""
        everything = self.bench.server.settled()
        session = Counter(everything[self.asked :])
        now = on_disk(self.bench.library)
        assert self.held.answers.items() <= now.answers.items() <= self.needed.answers.items()
        complete = {body for body, count in self.held.bodies.items() if count == self.needed.bodies[body]}
        assert not complete & set(session), "an answer that is on the disk was asked for again"
        gained = now.bodies - self.held.bodies
        assert gained <= session
        self.lost.append(session.total() - gained.total())
        assert 0 <= self.lost[-1] <= JOBS, (self.lost, now.attempts, len(now.answers), session - gained)
        served = len(everything) - self.first
        assert served == len(now.answers) + sum(self.lost)
        self.asked, self.held = len(everything), now


def kill_and_resume(bench: Bench, needed: OnDisk, kills: int, seed: int) -> Accounts:
    """`kills` times SIGKILL at a seeded moment, then to the end. A recording that got there early starts no more."""
    chance, accounts = random.Random(seed), Accounts(bench, needed)
    left, done = kills, None
    while left:
        process = bench.record()
        _wait(
            bench.server, process, chance, max(2, (len(needed.answers) - len(accounts.held.answers)) // left)
        )
        process.kill()
        done = ended(process)
        assert done.code in (-9, 0), done.err
        accounts.close_session()
        left -= 1
    _finish(bench, accounts)
    return accounts


def _wait(server: FarServer, process: object, chance: random.Random, share: int) -> None:
    """Until so many more calls arrived, and a few milliseconds."""
    target = len(server.counting.asked) + chance.randint(1, max(1, 2 * share - 1))
    pause = chance.uniform(0, 0.008)
    until(lambda: len(server.counting.asked) >= target or process.poll() is not None)  # type: ignore[attr-defined]
    until(iter([False] * int(pause / 0.002) + [True]).__next__)


def _finish(bench: Bench, accounts: Accounts) -> None:
    done: Ended = ended(bench.record())
    assert done.code == 0, done.err
    accounts.close_session()
    assert accounts.lost[-1] == 0
    assert accounts.held == accounts.needed
    assert bench.server.counting.asked[accounts.first :].__len__() == len(accounts.needed.answers) + sum(
        accounts.lost
    )


def check_sound(bench: Bench, expected: tuple[str, dict[str, str]]) -> None:
    """The outcome digests of the undisturbed run, a sound library, an identical replay, an empty journal."""
    assert outcomes(bench.library, "k") == expected
    assert bench.run("verify").code == 0
    replayed = bench.run("replay", "k", "--offline", "--jobs", "1")
    assert replayed.code == 0, replayed.err
    assert leftovers(bench.library) == []


def killed(folder: Path, server: FarServer, *, trials: int, kills: int, seed: int) -> Accounts:
    """The whole proof."""
    tasks = "ed-sepsis-room,oncall-database-handover"
    options = ("--run", "k", "--jobs", str(JOBS), "--task", tasks, "--trials", str(trials))
    needed, expected = undisturbed(Bench(folder / "undisturbed", server, options))
    bench = Bench(folder / "killed", server, options)
    accounts = kill_and_resume(bench, needed, kills, seed)
    check_sound(bench, expected)
    return accounts
