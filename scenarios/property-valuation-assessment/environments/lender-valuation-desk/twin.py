"""The valuation desk: figures have to follow from one another; whether the inputs are right is the agent's business."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

SHOWN_RULES = ("vacancy_percent", "surcharge_must_run_until", "minimum_debt_cover", "expense_year")
NEAR = 1  # how far a figure may lie from what it follows from


class Twin(ToolTwin):
    """The tools of the desk. Only drafts change."""

    def get_property(self, property: str) -> JsonObject:  # noqa: A002 (the tool's parameter)
        record = self._property(property)
        rules = self._state["rules"]
        return {
            "property": property,
            "name": record["name"],
            "kind": record["kind"],
            "valuation_date": self._state["valuation_date"],
            "cap_rate_percent": record["cap_rate_percent"],
            **{key: rules[key] for key in SHOWN_RULES},
            "leases": len(self._roll(property)),
            "has_loan": record["loan"] is not None,
            "open_draft": self._open_draft(property),
        }

    def list_leases(self, property: str, page: int) -> JsonObject:  # noqa: A002
        self._property(property)
        roll, size = self._roll(property), self._state["rules"]["page_size"]
        pages = -(-len(roll) // size)
        if page > pages:
            raise Refused(f"the rent roll of {property} has {pages} pages")
        shown = roll[(page - 1) * size : page * size]
        return {
            "property": property,
            "page": page,
            "pages": pages,
            "total": len(roll),
            "leases": [_row(name, self._state["leases"][name]) for name in shown],
        }

    def get_lease(self, lease: str) -> JsonObject:
        record = self._state["leases"].get(lease)
        if record is None:
            raise Refused(f"there is no lease {lease}")
        return {"lease": lease, **record}

    def get_expenses(self, property: str, year: int) -> JsonObject:  # noqa: A002
        self._property(property)
        shown = ("entry", "item", "amount", "recurring")
        entries = [
            {key: one[key] for key in shown}
            for one in self._state["ledger"]
            if (one["property"], one["year"]) == (property, year)
        ]
        return {"property": property, "year": year, "entries": entries}

    def get_loan(self, property: str) -> JsonObject:  # noqa: A002
        loan = self._property(property)["loan"]
        if loan is None:
            raise Refused(f"{property} carries no loan")
        return {"property": property, **loan}

    def draft_valuation(
        self,
        property: str,  # noqa: A002
        gross_income: float,
        vacancy_allowance: float,
        expenses: float,
        noi: float,
        value: float,
    ) -> JsonObject:
        record = self._property(property)
        current = self._current(property)
        if current and self._state["drafts"][current]["status"] == "submitted":
            raise Refused(f"the valuation of {property} is already submitted")
        if abs(gross_income - vacancy_allowance - expenses - noi) > NEAR:
            raise Refused("noi is not gross_income less vacancy_allowance less expenses")
        if abs(noi * 100 / record["cap_rate_percent"] - value) > NEAR:
            raise Refused(f"value is not noi divided by the cap rate of {record['cap_rate_percent']} percent")
        if current:
            self._state["drafts"][current]["status"] = "superseded"
        name = f"DV-{self._state['next_draft']}"
        self._state["next_draft"] += 1
        self._state["drafts"][name] = {
            "property": property,
            "author": "desk",
            "status": "open",
            "gross_income": gross_income,
            "vacancy_allowance": vacancy_allowance,
            "expenses": expenses,
            "noi": noi,
            "value": value,
            "debt_cover": None,
            "covenant": None,
        }
        return {"draft": name, "property": property, "status": "open", "noi": noi, "value": value}

    def submit_valuation(self, draft: str, debt_cover: float | None, covenant: str) -> JsonObject:
        record = self._state["drafts"].get(draft)
        if record is None:
            raise Refused(f"there is no draft {draft}")
        if record["status"] != "open":
            raise Refused(f"{draft} is {record['status']}, and only an open draft can be submitted")
        has_loan = self._property(record["property"])["loan"] is not None
        if has_loan != (debt_cover is not None) or has_loan != (covenant != "no_loan"):
            what = "needs a debt_cover and meets or breaches" if has_loan else "takes null and no_loan"
            raise Refused(f"{record['property']} {what}")
        record.update(status="submitted", debt_cover=debt_cover, covenant=covenant)
        return {
            "draft": draft,
            "property": record["property"],
            "status": "submitted",
            "covenant": covenant,
        }

    def get_valuation(self, property: str) -> JsonObject:  # noqa: A002
        self._property(property)
        current = self._current(property)
        if current is None:
            raise Refused(f"{property} has no draft yet")
        return {"property": property, "draft": current, **self._state["drafts"][current]}

    def _property(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["properties"].get(name)
        if record is None:
            raise Refused(f"there is no property {name}")
        return record

    def _roll(self, name: str) -> list[str]:
        return [lease for lease, one in self._state["leases"].items() if one["property"] == name]

    def _current(self, name: str) -> str | None:
        """The draft of a property that is open or submitted."""
        drafts = self._state["drafts"].items()
        return next(
            (key for key, one in drafts if one["property"] == name and one["status"] != "superseded"), None
        )

    def _open_draft(self, name: str) -> str | None:
        current = self._current(name)
        return current if current and self._state["drafts"][current]["status"] == "open" else None


def _row(name: str, lease: JsonObject) -> JsonObject:
    surcharge = sum(one["amount"] for one in lease["surcharges"])
    return {
        "lease": name,
        "tenant": lease["tenant"],
        "rent": lease["rent"],
        "period": lease["period"],
        "surcharge": surcharge,
    }
