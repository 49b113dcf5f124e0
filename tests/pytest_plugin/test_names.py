from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replaylab.pytest_plugin.names import run_name
from replaylab.store.refs import check_name


@given(st.text(min_size=1, max_size=300))
def test_every_test_has_a_name_that_a_run_can_have(node_id: str) -> None:
    assert check_name(run_name(node_id)) == run_name(node_id)


def test_the_name_says_which_test_it_is() -> None:
    name = run_name("tests/test_shop.py::TestOrder::test_pay[de]")
    assert name.startswith("test.tests-test_shop-py-TestOrder-test_pay-de.")


def test_tests_that_differ_in_case_or_odd_characters_have_names_that_differ_beyond_case() -> None:
    ids = ["t.py::test_a[x]", "t.py::test_A[x]", "t.py::test_a[X]", "t.py::test_a(x)", "t.py::test_a[x]]"]
    assert len({run_name(one).lower() for one in ids}) == len(ids)
