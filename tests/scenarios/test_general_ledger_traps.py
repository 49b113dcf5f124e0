"""Reconciliation: references and not amounts, two people for a journal, and mistakes that are not swept under."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved, without

BOOKS = "month-end-bank-books"
FEE, TRANSPOSED, BRANCH = "ledger-month-end-fee", "ledger-transposed-payment", "ledger-tools-branch"


def line(account: str, debit: float, credit: float) -> dict[str, object]:
    return {"account": account, "debit": debit, "credit": credit}


def draft(*lines: dict[str, object], period: str = "2025-01") -> PlannedCall:
    return call("draft_journal", period=period, text="a correction", lines=list(lines))


def test_matching_by_the_amount_alone_fails_though_the_system_takes_it() -> None:
    calls = changed(FEE, at(FEE, "match_items", line="BS-12"), entries=["GL-302"])
    calls[at(FEE, "close_reconciliation")] = call(
        "close_reconciliation", account="1010", outstanding=["GL-303"]
    )
    assert {"wrong-payment", "matched-payment", "closed"} <= caught(FEE, calls)
    assert observe(BOOKS, *calls)["status"] == "closed"


def test_leaving_the_fee_open_fails() -> None:
    start = at(FEE, "draft_journal")
    calls = without(FEE, start, start + 1, start + 2)
    calls[-2] = call("close_reconciliation", account="1010", outstanding=["GL-302", "BS-13"])
    wrong = caught(FEE, calls)
    assert {"fee-drafted", "posted", "matched-fee", "closed", "confirmed-balance"} <= wrong


def test_booking_the_fee_the_wrong_way_round_or_elsewhere_fails() -> None:
    number = at(FEE, "draft_journal")
    turned = changed(FEE, number, lines=[line("6100", 0, 18.5), line("1010", 18.5, 0)])
    assert {"fee-drafted", "confirmed-balance", "balance-agrees"} <= caught(FEE, turned)
    elsewhere = changed(FEE, number, lines=[line("2000", 18.5, 0), line("1010", 0, 18.5)])
    assert {"fee-drafted", "other-journal"} <= caught(FEE, elsewhere)


def test_closing_another_account_fails() -> None:
    items = ["BS-21", "BS-22", "GL-311", "GL-312", "GL-313"]
    extra = call("close_reconciliation", account="1020", outstanding=items)
    assert caught(FEE, added(FEE, 3, extra)) == {"other-account"}
    items = ["BS-11", "BS-12", "BS-13", "GL-301", "GL-302", "GL-303"]
    extra = call("close_reconciliation", account="1010", outstanding=items)
    assert caught(TRANSPOSED, added(TRANSPOSED, 3, extra)) == {"other-account"}
    assert caught(BRANCH, added(BRANCH, 3, extra)) == {"other-account"}


def test_listing_the_mistake_as_outstanding_fails() -> None:
    items = ["BS-21", "GL-311"]
    calls = [
        *changed(TRANSPOSED, 0)[:4],
        call("close_reconciliation", account="1020", outstanding=items),
        call("get_reconciliation", account="1020"),
    ]
    assert {"covered-up", "correction-drafted", "closed", "confirmed-balance"} <= caught(TRANSPOSED, calls)


def test_a_correction_turned_round_or_called_a_charge_fails() -> None:
    number = at(TRANSPOSED, "draft_journal")
    turned = changed(TRANSPOSED, number, lines=[line("1020", 0, 180), line("2000", 180, 0)])
    assert {"turned-round", "correction-drafted", "confirmed"} <= caught(TRANSPOSED, turned)
    charge = changed(TRANSPOSED, number, lines=[line("6100", 0, 180), line("1020", 180, 0)])
    assert {"not-a-charge", "correction-drafted"} <= caught(TRANSPOSED, charge)


def test_matching_before_the_correction_is_posted_fails() -> None:
    number = at(TRANSPOSED, "match_items", line="BS-21")
    assert "matched-payment" in caught(TRANSPOSED, moved(TRANSPOSED, number, number - 2))


def test_booking_the_mistake_of_the_bank_fails() -> None:
    extra = [
        draft(line("2000", 760, 0), line("1030", 0, 760)),
        call("post_journal", journal="JV-73", approver="u-idris"),
        call("match_items", line="BS-33", entries=["GL-406"]),
    ]
    calls = added(BRANCH, 12, *extra)
    calls[-2] = call("close_reconciliation", account="1030", outstanding=["GL-335"])
    assert {"bank-mistake-booked", "posted", "closed", "confirmed-balance"} <= caught(BRANCH, calls)


def test_a_duplicate_that_is_called_outstanding_fails() -> None:
    start = at(BRANCH, "draft_journal")
    calls = without(BRANCH, start, start + 1, start + 2)
    calls[start + 1] = call("post_journal", journal="JV-71", approver="u-voss")
    calls[start + 2] = call("match_items", line="BS-35", entries=["GL-402"])
    calls[-2] = call("close_reconciliation", account="1030", outstanding=["GL-334", "GL-335", "BS-33"])
    assert {"covered-up", "reversal-drafted", "offset", "confirmed-balance"} <= caught(BRANCH, calls)


def test_either_of_the_two_equal_receipts_may_be_the_one_that_stays() -> None:
    calls = changed(BRANCH, at(BRANCH, "match_items", line="BS-34"), entries=["GL-334"])
    number = at(BRANCH, "match_items", line="none")
    calls[number] = call("match_items", line="none", entries=["GL-333", "GL-402"])
    assert caught(BRANCH, calls) == set()


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (draft(line("6100", 10, 0), line("1010", 0, 11)), "do not balance"),
        (draft(line("9999", 10, 0), line("1010", 0, 10)), "no account 9999"),
        (draft(line("6100", 10, 0), line("1010", 0, 10), period="2024-12"), "no open period"),
        (call("match_items", line="BS-13", entries=["GL-301"]), "sum to 2400"),
        (call("match_items", line="BS-21", entries=["GL-303"]), "different accounts"),
        (call("match_items", line="none", entries=["GL-301"]), "sum to 2400"),
        (call("close_reconciliation", account="1010", outstanding=[]), "exactly"),
    ],
)
def test_what_does_not_add_up_is_refused(one: PlannedCall, part: str) -> None:
    assert part in observe(BOOKS, one)["error"]


def test_a_journal_is_posted_once_by_somebody_else_within_their_limit() -> None:
    journal = draft(line("6100", 150, 0), line("1010", 0, 150))

    def post(approver: str) -> PlannedCall:
        return call("post_journal", journal="JV-71", approver=approver)

    assert "may not post" in observe(BOOKS, journal, post("u-desk"))["error"]
    assert "may not post" in observe(BOOKS, journal, post("u-voss"))["error"]
    assert observe(BOOKS, journal, post("u-idris"))["entries"][1]["amount"] == -150
    assert "posted already" in observe(BOOKS, journal, post("u-idris"), post("u-idris"))["error"]


def test_nothing_is_matched_twice_nor_after_the_close() -> None:
    first = call("match_items", line="BS-11", entries=["GL-301"])
    assert "matched already" in observe(BOOKS, first, first)["error"]
    items = ["BS-11", "BS-12", "BS-13", "GL-301", "GL-302", "GL-303"]
    close = call("close_reconciliation", account="1010", outstanding=items)
    assert "is closed" in observe(BOOKS, close, first)["error"]
