"""What a description calls fixed, in whatever words."""

from __future__ import annotations

from replaylab.diff.calls.fixed import never_changes


def test_nothing_of_a_thing_changes() -> None:
    for told in (
        "Hosts by handle. Nothing here changes.",
        "The vets. Nothing about them changes during a session.",
        "Every animal. No field of it changes, and none is added.",
        "Calls by id. Fixed.",
        "People by name. Does not change.",
    ):
        assert never_changes(told, "name"), told
    assert not never_changes("Visits. Nothing changes them but closing.", "name")
    assert not never_changes("Faults. Fixed ones are closed.", "name")


def test_the_rest_in_other_words() -> None:
    for rest in (
        "everything else about a customer is fixed",
        "all other fields never change in a session",
        "the other fields are fixed",
        "the rest of it stays",
        "nothing else of one changes",
        "fixed otherwise",
    ):
        told = f"All customers. debt grows with each order; {rest}."
        assert never_changes(told, "city"), rest
        assert not never_changes(told, "debt"), rest
    assert not never_changes("The day. close_day moves it; nothing else changes it.", "day")


def test_what_turns_into_something_is_not_of_the_rest() -> None:
    told = "Visits by id. closed and fee are null while a visit is open, room turns once; the rest stays."
    assert never_changes(told, "animal")
    assert not any(never_changes(told, one) for one in ("closed", "fee", "room"))


def test_what_changes_alone_leaves_the_other_fields() -> None:
    told, fields = "All orders. Only stage ever changes.", frozenset(("stage", "title"))
    assert never_changes(told, "title", fields)
    assert not never_changes(told, "stage", fields)
    assert not never_changes("All orders. Only drafts ever change.", "title", fields)


def test_a_field_named_by_a_longer_name_is_not_meant() -> None:
    told = "By name. crew_needed and gust stay as they are; running and crew change with a start."
    assert never_changes(told, "crew_needed")
    assert not never_changes(told, "crew")


def test_what_is_never_changed_by_its_names_and_what_stands_in_brackets() -> None:
    assert never_changes("Applications. call and title are never changed.", "title")
    assert never_changes("Reviewers, with limit (how many they take at once). Fixed.", "limit")
