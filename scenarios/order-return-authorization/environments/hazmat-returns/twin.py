"""The return desk: hazmat items need triage and a kit, and no rule depends on time."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the desk. Every decision follows from the order, the triage and the transport rules."""

    def get_order(self, order: str) -> JsonObject:
        record = self._order(order)
        items = [{"sku": sku, **one} for sku, one in record["items"].items()]
        return {"order": order, **record, "items": items}

    def get_transport_rules(self, un_number: str) -> JsonObject:
        rules = self._state["transport_rules"].get(un_number)
        if rules is None:
            raise Refused(f"there are no rules for {un_number}")
        return {"un_number": un_number, "rules": rules}

    def record_triage(self, order: str, sku: str, damage: str, leaking: bool, hot: bool) -> JsonObject:
        if not self._open_item(order, sku)["hazmat"]:
            raise Refused(f"{sku} is no hazmat item and needs no triage")
        kind = "unsafe" if leaking or hot else "undamaged" if damage == "none" else "damaged"
        triage = {"order": order, "sku": sku, "class": kind, "transport_allowed": kind != "unsafe"}
        name = f"TRG-{self._state['next_triage']}"
        self._state["next_triage"] += 1
        self._state["triages"][name] = triage
        return {"triage": name, **triage}

    def send_kit(self, order: str, sku: str, kit: str) -> JsonObject:
        self._open_item(order, sku)
        needed = self._rules(order, sku)["kit"]
        if kit != needed:
            raise Refused(f"{sku} needs {needed}, not {kit}")
        self._state["kits"].append({"order": order, "sku": sku, "kit": kit})
        return {"order": order, "sku": sku, "kit": kit, "sent": True}

    def authorize_return(self, order: str, sku: str, method: str, refund: float) -> JsonObject:
        item = self._open_item(order, sku)
        allowed = ["parcel"]
        if item["hazmat"]:
            rules = self._rules(order, sku)
            if {"order": order, "sku": sku, "kit": rules["kit"]} not in self._state["kits"]:
                raise Refused(f"{rules['kit']} was not sent for {sku}")
            allowed = rules["methods"]
        if method not in allowed:
            raise Refused(f"{method} is not allowed for {sku}, only {', '.join(allowed)}")
        if round(refund * 100) != round(_value(item) * 100):
            raise Refused(f"the refund for {sku} must be {_value(item):.2f}")
        name = f"RMA-{self._state['next_authorization']}"
        self._state["next_authorization"] += 1
        item["resolution"] = "return_authorized"
        return {"authorization": name, "order": order, "sku": sku, "method": method, "refund": refund}

    def arrange_disposal(self, order: str, sku: str) -> JsonObject:
        item = self._open_item(order, sku)
        if self._triage(order, sku)["class"] != "unsafe":
            raise Refused(f"{sku} may travel and is not disposed of")
        item["resolution"] = "disposal"
        return {"order": order, "sku": sku, "resolution": "disposal", "refund": _value(item)}

    def _order(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["orders"].get(name)
        if record is None:
            raise Refused(f"there is no order {name}")
        return record

    def _open_item(self, order: str, sku: str) -> JsonObject:
        record = self._order(order)
        item: JsonObject | None = record["items"].get(sku)
        if item is None:
            raise Refused(f"{order} has no item {sku}")
        if not record["return_eligible"]:
            raise Refused(f"{order} is not eligible for return")
        if item["resolution"] is not None:
            raise Refused(f"{sku} is already resolved: {item['resolution']}")
        return item

    def _triage(self, order: str, sku: str) -> JsonObject:
        """The newest triage of the item."""
        found: list[JsonObject] = [
            one for one in self._state["triages"].values() if (one["order"], one["sku"]) == (order, sku)
        ]
        if not found:
            raise Refused(f"{sku} has no triage yet")
        return found[-1]

    def _rules(self, order: str, sku: str) -> JsonObject:
        """What applies to the transport of a triaged item."""
        kind = self._triage(order, sku)["class"]
        if kind == "unsafe":
            raise Refused(f"{sku} is unsafe and may not travel")
        number = self._state["orders"][order]["items"][sku]["un_number"]
        rules: JsonObject = self._state["transport_rules"][number][kind]
        return rules


def _value(item: JsonObject) -> float:
    return round(float(item["quantity"] * item["unit_price"]), 2)
