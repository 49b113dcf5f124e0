from __future__ import annotations

from replaylab.schema.finding import Finding


def test_a_finding_keeps_its_id_when_only_the_wording_changes() -> None:
    one = Finding.of("damaged", "a/b", "old words", expected=1, observed=2)
    assert Finding.of("damaged", "a/b", "new words", expected=1, observed=3).id == one.id


def test_findings_of_other_kinds_or_places_have_other_ids() -> None:
    ids = {Finding.of(kind, where, "").id for kind in ("a", "b") for where in ("x", "y")}
    assert len(ids) == 4


def test_a_finding_as_json_has_all_fields_of_the_contract_even_when_empty() -> None:
    assert list(Finding.of("k", "w", "m").to_json())[:6] == [
        "id",
        "kind",
        "where",
        "expected",
        "observed",
        "message",
    ]
