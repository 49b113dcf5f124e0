"""Books of a company at month end: lines, entries and matches, and journals that two people make."""

from __future__ import annotations

from collections.abc import Iterable

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

PREPARER = "u-desk"
OPEN = "none"  # `matched` of what is not matched


class Twin(ToolTwin):
    """The tools of the accounting system. It adds up; what belongs together it doesn't know."""

    def get_rules(self) -> JsonObject:
        return {
            "rules": self._state["rules"],
            "chart": [{"account": key, "name": name} for key, name in self._state["chart"].items()],
            "periods": [{"period": key, "status": one} for key, one in self._state["periods"].items()],
            "staff": [{"person": key, **one} for key, one in self._state["staff"].items()],
        }

    def list_statement(self, account: str) -> JsonObject:
        return {"account": account, "lines": self._rows(account, "statement", "line")}

    def list_ledger(self, account: str) -> JsonObject:
        return {"account": account, "entries": self._rows(account, "ledger", "entry")}

    def get_reconciliation(self, account: str) -> JsonObject:
        record = self._reconciliation(account)
        lines, entries = self._of(account, "statement"), self._of(account, "ledger")
        return {
            "account": account,
            "status": record["status"],
            "opening": record["opening"],
            "statement_balance": record["opening"] + _total(lines.values()),
            "ledger_balance": record["opening"] + _total(entries.values()),
            "unmatched_lines": len(_unmatched(lines)),
            "unmatched_entries": len(_unmatched(entries)),
            "outstanding": record["outstanding"],
        }

    def match_items(self, line: str, entries: list[str]) -> JsonObject:
        booked = [self._item("ledger", name) for name in entries]
        lines = [] if line == "none" else [self._item("statement", line)]
        accounts = {one["account"] for one in [*lines, *booked]}
        if len(accounts) > 1:
            raise Refused("the items belong to different accounts")
        if self._reconciliation(accounts.pop())["status"] == "closed":
            raise Refused("the reconciliation of this account is closed")
        if _total(booked) != _total(lines):
            raise Refused(f"the entries sum to {_total(booked)}, not to {_total(lines)}")
        for one in [*lines, *booked]:
            one["matched"] = line if lines else "offset"
        return {"line": line, "entries": entries, "matched": True}

    def draft_journal(self, period: str, text: str, lines: list[JsonObject]) -> JsonObject:
        if self._state["periods"].get(period) != "open":
            raise Refused(f"{period} is no open period")
        for one in lines:
            if one["account"] not in self._state["chart"]:
                raise Refused(f"there is no account {one['account']}")
        debit, credit = (round(sum(one[side] for one in lines), 2) for side in ("debit", "credit"))
        if debit != credit or debit == 0:
            raise Refused(f"debits of {debit} and credits of {credit} do not balance")
        name = f"JV-{self._state['next_journal']}"
        self._state["next_journal"] += 1
        journal = {"period": period, "text": text, "lines": lines, "status": "draft", "approver": "none"}
        self._state["journals"][name] = journal
        return {"journal": name, "period": period, "amount": debit, "status": "draft"}

    def post_journal(self, journal: str, approver: str) -> JsonObject:
        record = self._state["journals"].get(journal)
        if record is None:
            raise Refused(f"there is no journal {journal}")
        if record["status"] == "posted":
            raise Refused(f"{journal} is posted already")
        person = self._state["staff"].get(approver)
        if person is None:
            raise Refused(f"there is nobody with the id {approver}")
        amount = round(sum(one["debit"] for one in record["lines"]), 2)
        if approver == PREPARER or person["limit"] < amount:
            raise Refused(f"{approver} may not post {amount}")
        record.update(status="posted", approver=approver)
        entries = [self._book(one, record["text"]) for one in record["lines"]]
        return {"journal": journal, "status": "posted", "approver": approver, "entries": entries}

    def close_reconciliation(self, account: str, outstanding: list[str]) -> JsonObject:
        record = self._reconciliation(account)
        if record["status"] == "closed":
            raise Refused(f"{account} is closed already")
        unmatched = _unmatched(self._of(account, "statement")) + _unmatched(self._of(account, "ledger"))
        if sorted(outstanding) != sorted(unmatched):
            raise Refused("the outstanding items are not exactly those that are unmatched")
        record.update(status="closed", outstanding=outstanding)
        return {"account": account, "status": "closed", "outstanding": outstanding}

    def _book(self, line: JsonObject, text: str) -> JsonObject:
        name = f"GL-{self._state['next_entry']}"
        self._state["next_entry"] += 1
        amount = round(line["debit"] - line["credit"], 2)
        entry = {"account": line["account"], "date": self._state["now"][:10], "amount": amount}
        self._state["ledger"][name] = {**entry, "text": text, "matched": OPEN}
        return {"entry": name, "account": line["account"], "amount": amount}

    def _reconciliation(self, account: str) -> JsonObject:
        record: JsonObject | None = self._state["reconciliations"].get(account)
        if record is None:
            raise Refused(f"there is no bank account {account}")
        return record

    def _of(self, account: str, kind: str) -> dict[str, JsonObject]:
        self._reconciliation(account)
        return {name: one for name, one in self._state[kind].items() if one["account"] == account}

    def _rows(self, account: str, kind: str, name: str) -> list[JsonObject]:
        shown = ("date", "amount", "text", "matched")
        return [
            {name: key, **{part: one[part] for part in shown}} for key, one in self._of(account, kind).items()
        ]

    def _item(self, kind: str, name: str) -> JsonObject:
        item: JsonObject | None = self._state[kind].get(name)
        if item is None:
            raise Refused(f"there is no {name}")
        if item["matched"] != OPEN:
            raise Refused(f"{name} is matched already")
        return item


def _total(items: Iterable[JsonObject]) -> float:
    total: float = sum(one["amount"] for one in items)
    return round(total, 2)


def _unmatched(items: dict[str, JsonObject]) -> list[str]:
    return [name for name, one in items.items() if one["matched"] == OPEN]
