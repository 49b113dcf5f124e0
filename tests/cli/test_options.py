from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import FrameType

import click
import pytest
from pydantic import ValidationError

from replaylab.cli.options import MAX_TRIALS, Dollars, split_names
from replaylab.schema.run import RunSpec
from tests.cli.conftest import Call


@pytest.mark.parametrize("text", ["0", "0.1", "5", "1e2", "0.000001"])
def test_dollars_are_exact(text: str) -> None:
    assert Dollars().convert(text, None, None) == Decimal(text)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-0.01", "", "5 dollars", "$5"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="no amount of dollars"):
        Dollars().convert(text, None, None)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ((), []),
        (("a,b", "c"), ["a", "b", "c"]),
        ((" a , ,b,",), ["a", "b"]),
        (("b", "a", "b"), ["b", "a", "b"]),
        (("command:run a,b", "c,d"), ["command:run a,b", "c", "d"]),
    ],
)
def test_names_come_from_repeats_and_commas_in_their_order(given: tuple[str, ...], names: list[str]) -> None:
    assert split_names(given) == names


def test_a_run_object_holds_as_many_trials_as_the_option_allows_and_no_more() -> None:
    given: dict[str, object] = dict.fromkeys(("agents", "simulators", "verifiers", "faults", "tasks"), ())
    assert RunSpec.model_validate(given | {"trials": MAX_TRIALS}).trials == MAX_TRIALS
    with pytest.raises(ValidationError):
        RunSpec.model_validate(given | {"trials": MAX_TRIALS + 1})


# What is no regular file, or a huge one, is refused at once wherever an option or an argument names a file.
READERS = (
    ("score", "study", "--print-only", "--gate"),
    ("score", "study", "--print-only", "--declare"),
    ("audit", "study", "--claims"),
    ("sign", "study", "--key"),
    *(("import", kind) for kind in ("atif", "chat", "har", "inspect", "otel", "tau", "vcr", "transcript")),
)


@pytest.fixture
def _not_for_ever() -> Iterator[None]:
    """What waits for a writer is interrupted, and fails."""

    def late(number: int, frame: FrameType | None) -> None:
        raise RuntimeError("the command waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def odd_file(folder: Path, kind: str) -> Path:
    path = folder / f"odd-{kind}.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(2**40)  # takes no place on the disk
    return path


@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
@pytest.mark.parametrize("command", READERS, ids=lambda command: "-".join(command[-2:]))
def test_a_file_that_can_t_be_read_whole_is_refused(
    call: Call, study: Path, tmp_path: Path, command: tuple[str, ...], kind: str
) -> None:
    path = odd_file(tmp_path, kind)
    ended = call("--library", str(study), *command, str(path))
    assert ended.code == 2, ended.err
    assert str(path.name) in ended.err


@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_so_is_a_configuration(call: Call, tmp_path: Path, kind: str) -> None:
    ended = call("--config", str(odd_file(tmp_path, kind)), "models")
    assert ended.code == 2, ended.err


@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_so_is_a_file_of_a_scenario(call: Call, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "of-mine"
    folder.mkdir()
    odd_file(folder, kind).rename(folder / "scenario.json")
    ended = call("scenarios", "check", str(folder))
    assert ended.code in (1, 2), ended.err
    assert "scenario.json" in ended.out + ended.err


@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_scan_says_that_it_could_not_read_it(call: Call, tmp_path: Path, kind: str) -> None:
    path = odd_file(tmp_path, kind)
    ended = call("scan", str(path))
    assert ended.code == 1, ended.err
    assert "it is not a regular file" in ended.out + ended.err
