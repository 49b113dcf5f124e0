"""The job-tracking system of a print shop."""

from __future__ import annotations

from datetime import date, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

WASTE = {"offset": 100, "digital": 10}
BASE_EUR = 90
LEAST = {"dpi": (300, "dpi {}"), "bleed_mm": (3, "bleed {} mm")}
PACK = 500


def _up(value: int, by: int) -> int:
    return -(-value // by)


class Twin(ToolTwin):
    """The tools of the shop."""

    def orders(
        self,
        customer: str | None = None,
        city: str | None = None,
        stage: str | None = None,
        supplier: str | None = None,
        due_by: str = "9999",
        late: bool | None = None,
        min_sheets: int = 0,
        title_has: str = "",
    ) -> JsonObject:
        for kind, name in (("customer", customer), ("supplier", supplier)):
            if name is not None:
                self._one(kind, name)
        rows = [
            {key: one[key] for key in ("order", "customer", "title", "due", "stage")}
            for one in self._state["orders"]
            if customer in (None, one["customer"])
            and city in (None, self._one("customer", one["customer"])["city"])
            and stage in (None, one["stage"])
            and supplier in (None, self._one("paper", one["paper"])["supplier"])
            and one["due"] <= due_by
            and late in (None, self._late(one))
            and one["sheets"] >= min_sheets
            and title_has.lower() in one["title"].lower()
        ]
        return {"total": len(rows), "orders": rows}

    def order(self, order: str) -> JsonObject:
        one = self._one("order", order)
        checks = [row for row in self._state["checks"] if row["order"] == order]
        shown = [{key: row[key] for key in ("check", "result", "reasons")} for row in checks]
        runs = (row["press"] for row in self._state["presses"] if row["runs"] == order)
        return {**one, "press": self._waits_at(order) or next(runs, None), "checks": shown}

    def customer(self, customer: str) -> JsonObject:
        one = self._one("customer", customer)
        orders = [row for row in self._state["orders"] if row["customer"] == customer]
        return {**one, "open_orders": [row["order"] for row in orders if row["stage"] != "shipped"]}

    def stock(
        self, kind: str | None = None, low: bool | None = None, gsm_from: int = 0, gsm_to: int = 9999
    ) -> JsonObject:
        rows = [
            {key: one[key] for key in ("paper", "kind", "gsm", "sheets", "reorder_at")}
            | {"low": one["sheets"] < one["reorder_at"]}
            for one in self._state["papers"]
            if kind in (None, one["kind"]) and gsm_from <= one["gsm"] <= gsm_to
        ]
        return {"papers": [row for row in rows if low in (None, row["low"])]}

    def floor(self, type: str | None = None, takes_gsm: int = 0) -> JsonObject:  # noqa: A002 (as in the tool)
        rows = [
            {key: one[key] for key in ("press", "type", "condition", "runs")}
            | {"waiting": len(self._state["queues"][one["press"]])}
            for one in self._state["presses"]
            if type in (None, one["type"]) and one["max_gsm"] >= takes_gsm
        ]
        return {"presses": rows}

    def queue(self, press: str) -> JsonObject:
        one = self._one("press", press)
        rows = [
            {"place": place, "order": name, "sheets": self._one("order", name)["sheets"]}
            | {"minutes": self._run_minutes(name, one)}
            for place, name in enumerate(self._state["queues"][press], 1)
        ]
        return {"press": press, "queue": rows, "minutes": sum(row["minutes"] for row in rows)}

    def purchases(
        self,
        state: str | None = None,
        supplier: str | None = None,
        overdue: bool | None = None,
        ordered_since: str = "",
    ) -> JsonObject:
        if supplier is not None:
            self._one("supplier", supplier)
        rows = [
            one
            for one in self._state["purchases"]
            if state in (None, one["state"])
            and supplier in (None, self._one("paper", one["paper"])["supplier"])
            and overdue in (None, one["state"] == "open" and one["expected"] < self._state["today"])
            and one["ordered"] >= ordered_since
        ]
        return {"purchases": rows}

    def new_order(
        self, customer: str, title: str, copies: int, per_sheet: int, paper: str, due: str
    ) -> JsonObject:
        one, sheets = self._one("customer", customer), _up(copies, per_sheet)
        price = BASE_EUR + _up(sheets * self._one("paper", paper)["cents_per_sheet"], 100)
        if one["account"] != "open":
            raise Refused(f"the account of {customer} is {one['account']}")
        would = one["owes_eur"] + price
        if would > one["limit_eur"]:
            raise Refused(f"{customer} would owe {would} EUR, more than the limit of {one['limit_eur']}")
        if due < self._state["today"]:
            raise Refused(f"{due} is before today, {self._state['today']}")
        name = self._next("orders", "order")
        wanted = {
            "customer": customer,
            "title": title,
            "copies": copies,
            "per_sheet": per_sheet,
            "paper": paper,
        }
        made = {
            "order": name,
            **wanted,
            "sheets": sheets,
            "price_eur": price,
            "due": due,
            "stage": "received",
        }
        self._state["orders"].append(made)
        self._state["files"][name] = {"dpi": 300, "bleed_mm": 3}
        return {key: made[key] for key in ("order", "stage", "sheets", "price_eur")}

    def check_files(self, order: str) -> JsonObject:
        one = self._at(order, "received")
        file = self._state["files"][order]
        reasons = [said.format(file[key]) for key, (least, said) in LEAST.items() if file[key] < least]
        result = "failed" if reasons else "passed"
        name = self._next("checks", "check")
        row = {"check": name, "order": order, "result": result, "reasons": reasons}
        self._state["checks"].append(row)
        if not reasons:
            one["stage"] = "checked"
        return {**row, "stage": one["stage"]}

    def queue_order(self, order: str, press: str) -> JsonObject:
        one = self._at(order, "checked")
        self._takes(press, one)
        one["stage"] = "queued"
        self._state["queues"][press].append(order)
        return {"order": order, "press": press, "place": len(self._state["queues"][press])}

    def move_order(self, order: str, to: str) -> JsonObject:
        one, home = self._one("order", order), self._waits_at(order)
        if home is None:
            raise Refused(f"{order} waits in no queue")
        if home == to:
            raise Refused(f"{order} waits for {to} already")
        self._takes(to, one)
        self._state["queues"][home].remove(order)
        self._state["queues"][to].append(order)
        return {"order": order, "from": home, "to": to, "place": len(self._state["queues"][to])}

    def start_press(self, press: str) -> JsonObject:
        one, queue = self._one("press", press), self._state["queues"].get(press)
        if one["condition"] != "idle":
            raise Refused(f"{press} is not idle: it is {one['condition']}")
        if not queue:
            raise Refused(f"the queue of {press} is empty")
        order = self._one("order", queue[0])
        paper, needed = self._one("paper", order["paper"]), order["sheets"] + WASTE[one["type"]]
        if paper["sheets"] < needed:
            raise Refused(
                f"{order['order']} needs {needed} sheets of {paper['paper']}, there are {paper['sheets']}"
            )
        queue.pop(0)
        paper["sheets"] -= needed
        order["stage"] = "printing"
        one.update(condition="running", runs=order["order"])
        minutes = self._run_minutes(order["order"], one)
        return {"press": press, "runs": order["order"], "minutes": minutes} | {
            "paper": paper["paper"],
            "sheets_left": paper["sheets"],
        }

    def finish_run(self, press: str) -> JsonObject:
        one = self._one("press", press)
        if one["condition"] != "running":
            raise Refused(f"{press} is not running: it is {one['condition']}")
        order = self._one("order", one["runs"])
        order["stage"] = "printed"
        one.update(condition="idle", runs=None)
        return {"press": press, "order": order["order"], "stage": "printed"}

    def ship(self, order: str) -> JsonObject:
        one = self._at(order, "printed")
        customer = self._one("customer", one["customer"])
        one["stage"] = "shipped"
        customer["owes_eur"] += one["price_eur"]
        owes = {"customer": customer["customer"], "owes_eur": customer["owes_eur"]}
        return {"order": order, "stage": "shipped", **owes}

    def buy_paper(self, paper: str, sheets: int) -> JsonObject:
        one = self._one("paper", paper)
        if sheets % PACK:
            raise Refused(f"{sheets} is not a multiple of {PACK}")
        for row in self._state["purchases"]:
            if row["paper"] == paper and row["state"] == "open":
                raise Refused(f"{row['purchase']} of {paper} is open")
        days = self._one("supplier", one["supplier"])["delivery_days"]
        name, today = self._next("purchases", "purchase"), self._state["today"]
        bought = {"purchase": name, "paper": paper, "sheets": sheets}
        expected = self._after(days)
        self._state["purchases"].append({**bought, "ordered": today, "expected": expected, "state": "open"})
        return {**bought, "expected": expected}

    def take_in(self, purchase: str) -> JsonObject:
        one = self._one("purchase", purchase)
        if one["state"] != "open":
            raise Refused(f"{purchase} is not open: it is {one['state']}")
        if one["expected"] > self._state["today"]:
            raise Refused(f"{purchase} is expected on {one['expected']}; today is {self._state['today']}")
        paper = self._one("paper", one["paper"])
        one["state"] = "delivered"
        paper["sheets"] += one["sheets"]
        return {"purchase": purchase, "state": "delivered", "paper": one["paper"], "stock": paper["sheets"]}

    def close_day(self) -> JsonObject:
        for one in self._state["presses"]:
            if one["condition"] == "running":
                raise Refused(f"{one['press']} is running {one['runs']}")
        self._state["today"] = self._after(1)
        late = [one["order"] for one in self._state["orders"] if self._late(one)]
        return {"today": self._state["today"], "late": late}

    def _after(self, days: int) -> str:
        return str(date.fromisoformat(self._state["today"]) + timedelta(days=days))

    def _next(self, kind: str, key: str) -> str:
        head, number = self._state[kind][-1][key].split("-")
        return f"{head}-{int(number) + 1}"

    def _late(self, order: JsonObject) -> bool:
        return bool(order["due"] < self._state["today"] and order["stage"] != "shipped")

    def _one(self, kind: str, name: str) -> JsonObject:
        plural = "presses" if kind == "press" else f"{kind}s"
        for one in self._state[plural]:
            if one[kind] == name:
                found: JsonObject = one
                return found
        raise Refused(f"there is no {kind} {name}")

    def _at(self, order: str, stage: str) -> JsonObject:
        one = self._one("order", order)
        if one["stage"] != stage:
            raise Refused(f"{order} is not {stage}: it is {one['stage']}")
        return one

    def _waits_at(self, order: str) -> str | None:
        return next((press for press, queue in self._state["queues"].items() if order in queue), None)

    def _takes(self, press: str, order: JsonObject) -> None:
        one, gsm = self._one("press", press), self._one("paper", order["paper"])["gsm"]
        if one["condition"] == "down":
            raise Refused(f"{press} is down")
        if gsm > one["max_gsm"]:
            raise Refused(f"{press} takes {one['max_gsm']} gsm at most, and {order['paper']} has {gsm}")

    def _run_minutes(self, order: str, press: JsonObject) -> int:
        return _up(self._one("order", order)["sheets"] * 60, press["per_hour"])
