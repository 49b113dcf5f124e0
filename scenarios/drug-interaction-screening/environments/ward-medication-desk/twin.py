"""A medication desk: it looks interactions up, and verifies, holds and hands off whatever it is told to."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

NOTHING = {"severity": "none", "effect": "none known", "field": "general"}
DUPLICATE = {"severity": "duplicate", "effect": "same ingredient twice", "field": "general"}


class Twin(ToolTwin):
    """The tools of the desk. What is right for the patient is not checked here."""

    def get_patient(self, patient: str) -> JsonObject:
        record = self._of("patients", patient)
        orders = [{"order": name, **one} for name, one in record["orders"].items()]
        handoffs = [
            {
                "handoff": name,
                "pharmacist": one["pharmacist"],
                "orders": one["orders"],
                "accepted": one["accepted"],
            }
            for name, one in self._state["handoffs"].items()
            if one["patient"] == patient
        ]
        return {"patient": patient, **record, "orders": orders, "handoffs": handoffs}

    def find_drug(self, name: str) -> JsonObject:
        for ingredient, one in self._state["drugs"].items():
            if name.casefold() in (ingredient, *(product.casefold() for product in one["products"])):
                return {"ingredient": ingredient, "products": one["products"]}
        raise Refused(f"there is no drug {name}")

    def check_pair(self, first: str, second: str) -> JsonObject:
        for name in (first, second):
            self._ingredient(name)
        found = DUPLICATE if first == second else NOTHING
        for one in self._state["interactions"]:
            if sorted(one["pair"]) == sorted((first, second)):
                found = {key: one[key] for key in NOTHING}
        return {"first": first, "second": second, **found}

    def get_dose_limits(self, ingredient: str) -> JsonObject:
        record = self._ingredient(ingredient)
        return {"ingredient": ingredient, "step_mg": record["step_mg"], "limits": record["limits"]}

    def verify_order(self, order: str) -> JsonObject:
        self._pending(order)["status"] = "verified"
        return {"order": order, "status": "verified"}

    def hold_order(self, order: str, reason: str) -> JsonObject:
        self._pending(order)["status"] = "held"
        return {"order": order, "status": "held"}

    def change_dose(self, order: str, dose_mg: int, doses_a_day: int) -> JsonObject:
        record = self._pending(order)
        step = self._ingredient(self.find_drug(record["product"])["ingredient"])["step_mg"]
        if dose_mg % step:
            raise Refused(f"a dose of {record['product']} is a multiple of {step} mg")
        record.update(dose_mg=dose_mg, doses_a_day=doses_a_day)
        return {"order": order, "dose_mg": dose_mg, "doses_a_day": doses_a_day}

    def list_pharmacists(self) -> JsonObject:
        people = self._state["pharmacists"].items()
        return {"pharmacists": [{"pharmacist": name, **one} for name, one in people]}

    def hand_off(self, patient: str, pharmacist: str, orders: Sequence[str], summary: str) -> JsonObject:
        record, person = self._of("patients", patient), self._of("pharmacists", pharmacist)
        for name in orders:
            if record["orders"].get(name, {}).get("status") != "held":
                raise Refused(f"{name} is not a held order of {patient}")
        if not person["on_duty"]:
            raise Refused(f"{pharmacist} is not on duty")
        accepted = person["open_handoffs"] < self._state["most_handoffs"]
        person["open_handoffs"] += int(accepted)
        handoff = f"HO-{self._state['next_handoff']}"
        self._state["next_handoff"] += 1
        told = {"patient": patient, "pharmacist": pharmacist, "orders": list(orders), "accepted": accepted}
        self._state["handoffs"][handoff] = {**told, "summary": summary}
        return {"handoff": handoff, **told}

    def _of(self, kind: str, name: str) -> JsonObject:
        record: JsonObject | None = self._state[kind].get(name)
        if record is None:
            raise Refused(f"there is no {kind.removesuffix('s')} {name}")
        return record

    def _ingredient(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["drugs"].get(name)
        if record is None:
            raise Refused(f"{name} is no ingredient; find_drug tells the ingredient of a product")
        return record

    def _pending(self, name: str) -> JsonObject:
        for patient in self._state["patients"].values():
            record: JsonObject | None = patient["orders"].get(name)
            if record is not None:
                if record["status"] != "pending":
                    raise Refused(f"{name} is {record['status']}, not pending")
                return record
        raise Refused(f"there is no order {name}")
