"""A synthesis by models behind a server: killed at any call it goes on, and nothing that is on the disk is asked again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.far import Bench, Ended, FarServer, ended, far_server, leftovers, on_disk, until

MODELS = "".join(
    f'[models.{name}]\nbase_url = "{{url}}"\nmodel = "{model}"\n'
    for name, model in (
        ("writer", "grammar"),
        ("doer", "scripted:explorer"),
        ("world", "example"),
        ("judge", "coin"),
    )
)
SYNTH = (
    "synth",
    "greenhouse-irrigation-control",
    *("--generator", "writer", "--agent", "doer", "--sim", "world", "--verifier", "judge"),
    *("--levels", "1", "--tries", "1", "--votes", "1", "--rounds", "1", "--json"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[FarServer]:
    with far_server(delay_ms=1) as server:
        yield server


def bench(folder: Path, server: FarServer) -> Bench:
    one = Bench(folder, server, ())
    (folder / "replaylab.toml").write_text(MODELS.format(url=server.base_url), encoding="utf-8")
    return one


def whole(folder: Path, server: FarServer) -> tuple[Ended, Counter[str]]:
    """To the end without being disturbed, and what was asked."""
    before = len(server.counting.asked)
    done = bench(folder, server).run(*SYNTH)
    assert done.code in (0, 1), done.err
    return done, Counter(server.settled()[before:])


@pytest.fixture(scope="module")
def undisturbed(server: FarServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Counter[str]]:
    return whole(tmp_path_factory.mktemp("whole"), server)


def killed_at(place: int, folder: Path, server: FarServer) -> tuple[Bench, Counter[str]]:
    """Started, and killed when that call arrives (counted from 1); what was asked until then."""
    one = bench(folder, server)
    before = len(server.counting.asked)
    process = one.start(*SYNTH)
    until(lambda: len(server.counting.asked) >= before + place or process.poll() is not None)
    process.kill()
    assert ended(process).code in (-9, 0, 1)
    return one, Counter(server.settled()[before:])


def check(place: int, folder: Path, server: FarServer, undisturbed: tuple[Ended, Counter[str]]) -> None:
    needed = undisturbed[1]
    one, first = killed_at(place, folder, server)
    held = on_disk(one.library).bodies
    before = len(server.counting.asked)
    done = one.run(*SYNTH)
    again = Counter(server.settled()[before:])
    assert again == needed - held, "what is on the disk was asked again, or something else was"
    assert first - held <= first, "more was lost than was in flight"
    assert sum((first - held).values()) <= 1
    assert done.document["selection"] == undisturbed[0].document["selection"]
    assert done.document["funnel"] == undisturbed[0].document["funnel"]
    assert leftovers(one.library) == []
    assert one.run("verify").code == 0


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_killed_it_goes_on_without_a_repeated_call(
    share: float, server: FarServer, undisturbed: tuple[Ended, Counter[str]], tmp_path: Path
) -> None:
    total = sum(undisturbed[1].values())
    check(1 + int(share * (total - 1)), tmp_path / "k", server, undisturbed)


@pytest.mark.soak
def test_killed_at_each_call_it_goes_on_without_a_repeated_call(
    server: FarServer, undisturbed: tuple[Ended, Counter[str]], tmp_path: Path
) -> None:
    for place in range(1, sum(undisturbed[1].values()) + 1):
        check(place, tmp_path / str(place), server, undisturbed)


def test_offline_it_gives_the_same_without_the_server(
    undisturbed: tuple[Ended, Counter[str]], server: FarServer, tmp_path: Path
) -> None:
    done, _ = whole(tmp_path / "a", server)
    one = bench(tmp_path / "a", server)
    before = len(server.settled())
    again = one.run(*SYNTH, "--offline")
    assert json.loads(again.out) == json.loads(done.out)
    assert len(server.settled()) == before
