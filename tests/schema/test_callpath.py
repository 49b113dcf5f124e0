from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from replaylab.errors import UsageError
from replaylab.schema.callpath import CallPath, Condition, TrialKey, escape
from tests.strategies import texts

names = texts.filter(bool) | st.text("/,#~%. é😀ab", min_size=1, max_size=8)
conditions = st.builds(Condition, names, names, names, names)
keys = st.builds(TrialKey, conditions, names, st.integers(0, 10**9 - 1))
lanes = st.sampled_from(["agent", "simulator", "simulator_origin", "verifier.0", "verifier.12"])
paths = st.builds(CallPath, keys, lanes, st.integers(-1, 10**6), st.integers(0, 99))

KEY = TrialKey(Condition("a", "s", "v", "E0"), "t", 0)


@given(conditions)
@example(Condition("qwen/qwen3-8b", "a,b", "#1~2%41", "😀 é"))
def test_a_condition_of_any_names_comes_back(condition: Condition) -> None:
    assert Condition.parse(str(condition)) == condition


@given(keys)
def test_a_trial_key_of_any_names_comes_back(key: TrialKey) -> None:
    assert TrialKey.parse(str(key)) == key


@given(paths)
def test_a_callpath_of_any_names_comes_back(path: CallPath) -> None:
    assert CallPath.parse(str(path)) == path


@given(paths, paths)
def test_two_callpaths_never_have_one_spelling(one: CallPath, other: CallPath) -> None:
    assert (str(one) == str(other)) == (one == other)


@given(names, names)
@example("%2F", "/")
def test_two_names_never_have_one_escape(one: str, other: str) -> None:
    assert (escape(one) == escape(other)) == (one == other)


@given(names)
def test_an_escaped_part_holds_no_separator_and_nothing_beyond_ascii(name: str) -> None:
    assert re.fullmatch(r"(?:[A-Za-z0-9:._+=@-]|%[0-9A-F]{2})+", escape(name))


def test_the_form_is_fixed() -> None:
    key = TrialKey(Condition("qwen/qwen3-8b", "s#1", "v,w", "E0"), "t~1 é", 2)
    assert (
        str(CallPath(key, "verifier.1", 0, 3))
        == "qwen%2Fqwen3-8b,s%231,v%2Cw,E0/t%7E1%20%C3%A9/2/verifier.1#0~3"
    )


def test_a_path_may_name_a_whole_lane() -> None:
    path = CallPath(KEY, "verifier.1")
    assert (str(path), path.role) == ("a,s,v,E0/t/0/verifier.1", "verifier")
    assert CallPath.parse(str(path)) == path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,s,v,E0/t/0",
        "a,s,v/t/0/agent#0",
        "a,s,v,E0,x/t/0/agent#0",
        "a,,v,E0/t/0/agent#0",
        ",,,/t/0/agent#0",
        "a,s,v,E0//0/agent#0",
        "a,s,v,E0/t/-1/agent#0",
        "a,s,v,E0/t/01/agent#0",
        "a,s,v,E0/t/٣/agent#0",
        "a,s,v,E0/t/0/agent#",
        "a,s,v,E0/t/0/agent#00",
        "a,s,v,E0/t/0/agent#-1",
        "a,s,v,E0/t/0/agent#0~0",
        "a,s,v,E0/t/0/agent#0#1",
        "a,s,v,E0/t/0/Agent#0",
        "a,s,v,E0/t/0/verifier.#0",
        "a,s,v,E0/t/0/verifier.01#0",
        "a,s,v,E0/t/0/agent#0\n",
        "a b,s,v,E0/t/0/agent#0",
        "é,s,v,E0/t/0/agent#0",
        "%2f,s,v,E0/t/0/agent#0",
        "%41,s,v,E0/t/0/agent#0",
        "%FF,s,v,E0/t/0/agent#0",
        "%ZZ,s,v,E0/t/0/agent#0",
        "a%,s,v,E0/t/0/agent#0",
        "a,s,v,E0/%ED%A0%80/0/agent#0",
    ],
)
def test_what_is_malformed_or_spelled_another_way_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a"):
        CallPath.parse(text)


@given(st.text(max_size=40) | st.text("a,/#~%0.é", max_size=30))
def test_whatever_is_parsed_is_the_spelling_of_itself(text: str) -> None:
    try:
        path = CallPath.parse(text)
    except UsageError:
        return
    assert str(path) == text


def test_a_trial_key_is_no_callpath() -> None:
    with pytest.raises(UsageError):
        TrialKey.parse("a,s,v,E0/t/0/agent#0")


def test_a_name_that_no_text_file_could_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="lone surrogate"):
        escape("a\ud800")


@pytest.mark.parametrize(
    "text", ["", "a,s,v", "a,s,v,E0,", "a,,v,E0", "%41,s,v,E0", "%2f,s,v,E0", "a b,s,v,E0", "%FF,s,v,E0"]
)
def test_a_condition_too_has_one_spelling(text: str) -> None:
    with pytest.raises(UsageError, match="not a condition"):
        Condition.parse(text)
