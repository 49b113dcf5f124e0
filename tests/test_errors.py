from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from replaylab import errors
from replaylab.errors import (
    CallFailed,
    DivergenceError,
    LimitReached,
    OfflineError,
    ReplaylabError,
    StoreError,
    UsageError,
)

REPO = Path(__file__).resolve().parents[1]
DIVERGED = DivergenceError(
    "the request differs",
    kind="request",
    callpath="a,s,v,E0/t/0/agent#1",
    pointer="/messages/1",
    expected={"a": 1},
    observed={"a": 2},
    asked="0" * 64,
    closest="a,s,v,E0/t/0/agent#0",
    fix="look",
)


def test_a_message_says_what_where_what_comes_closest_and_what_to_do() -> None:
    error = ReplaylabError("it broke", where="x.cassette", closest="y.cassette", fix="mend it")
    assert str(error).splitlines() == [
        "it broke",
        "  where:   x.cassette",
        "  closest: y.cassette",
        "  to do:   mend it",
    ]
    assert str(ReplaylabError("it broke")) == "it broke"


@pytest.mark.parametrize(
    ("kind", "code"),
    [(UsageError, 2), (LimitReached, 1), (DivergenceError, 3), (StoreError, 4), (OfflineError, 5)],
)
def test_each_kind_ends_a_command_with_its_exit_code(kind: type[ReplaylabError], code: int) -> None:
    assert kind.exit_code == code


@pytest.mark.parametrize(
    "error",
    [
        DIVERGED,
        StoreError("damaged", where="x", closest="y", fix="z"),
        CallFailed("no answer", kind="timeout", where="w", fix="f"),
        LimitReached("enough"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_back_whole_from_a_worker_process(error: ReplaylabError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert (str(again), again.args) == (str(error), error.args)


def test_a_divergence_is_at_its_call_path() -> None:
    assert DIVERGED.where == DIVERGED.callpath == "a,s,v,E0/t/0/agent#1"


def test_every_error_derives_from_the_one_root_and_from_nothing_of_a_library() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) == 8
    for kind in kinds:
        assert issubclass(kind, ReplaylabError)
        assert {base.__module__ for base in kind.__mro__} <= {"replaylab.errors", "builtins"}


def test_the_tree_of_the_docstring_is_the_tree_of_the_code() -> None:
    doc = errors.__doc__ or ""
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert name in doc


def test_the_errors_load_without_anything_else() -> None:
    code = "import sys, replaylab.errors; print([m for m in ('openai', 'httpx2', 'pydantic') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
