"""The till of a gear rental."""

from __future__ import annotations

from datetime import date, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LIMITS = {"guest": 3, "member": 6}
MOST_TRIPS, MOST_DAYS, MOST_DEBT, LATE, DAMAGE = 40, 14, 40, 5, 30


def day(text: str) -> date:
    """A date; what is none is refused."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text} is not a date") from None


class Twin(ToolTwin):
    """The tools of the till."""

    def list_items(
        self,
        depot: str = "",
        kind: str = "",
        condition: str = "",
        available: bool | None = None,
        min_trips: int = 0,
    ) -> JsonObject:
        rows = [
            {"item": tag, **{key: one[key] for key in ("model", "depot", "status", "condition")}}
            for tag, one in self._state["items"].items()
            if depot in ("", one["depot"])
            and kind in ("", self._kind(tag))
            and condition in ("", one["condition"])
            and available in (None, self._available(tag))
            and one["trips"] >= min_trips
        ]
        return {"count": len(rows), "items": rows}

    def stock_levels(self, short: bool | None = None) -> JsonObject:
        rows = [self._level(model) for model in self._state["models"]]
        return {"models": [row for row in rows if short in (None, row["short_by"] > 0)]}

    def find_bookings(
        self,
        customer: str = "",
        level: str = "",
        text: str = "",
        status: str = "",
        kind: str = "",
        overdue: bool | None = None,
        starts_from: str = "",
    ) -> JsonObject:
        if customer:
            self._customer(customer)
        if starts_from:
            day(starts_from)
        rows = []
        for one in self._state["bookings"]:
            account, tags = self._customer(one["customer"]), [row["item"] for row in one["items"]]
            if (
                customer in ("", one["customer"])
                and level in ("", account["level"])
                and text.lower() in account["name"].lower()
                and status in ("", one["status"])
                and (not kind or kind in map(self._kind, tags))
                and overdue in (None, self._overdue(one))
                and one["first_day"] >= starts_from
            ):
                facts = {key: one[key] for key in ("customer", "status", "first_day", "until")}
                rows.append({"booking": one["booking"], **facts, "items": tags})
        return {"count": len(rows), "bookings": rows}

    def get_booking(self, booking: str) -> JsonObject:
        one = self._booking(booking)
        days = (day(one["until"]) - day(one["first_day"])).days
        return {**one, "days": days, "paid_days": self._paid_days(one["customer"], days)}

    def get_customer(self, customer: str) -> JsonObject:
        account, hand = self._customer(customer), self._in_hand(customer)
        bookings = [
            {"booking": one["booking"], "status": one["status"]}
            for one in self._state["bookings"]
            if one["customer"] == customer
        ]
        left = LIMITS[account["level"]] - len(hand)
        return {"customer": customer, **account, "bookings": bookings, "in_hand": hand, "may_take": left}

    def list_jobs(
        self,
        still_open: bool | None = None,
        depot: str = "",
        kind: str = "",
        waiting_over: int | None = None,
    ) -> JsonObject:
        rows = []
        for name, job in self._state["jobs"].items():
            waits = (day(self._state["today"]) - day(job["opened"])).days if job["closed"] is None else -1
            if (
                still_open in (None, job["closed"] is None)
                and depot in ("", self._item(job["item"])["depot"])
                and kind in ("", self._kind(job["item"]))
                and (waiting_over is None or waits > waiting_over)
            ):
                rows.append({"job": name, **{key: job[key] for key in ("item", "fault", "opened", "result")}})
        return {"count": len(rows), "jobs": rows}

    def reserve(self, customer: str, items: list[str], first_day: str, until: str) -> JsonObject:
        account, days = self._customer(customer), (day(until) - day(first_day)).days
        self._may_book(customer, account)
        if first_day < self._state["today"]:
            raise Refused(f"{first_day} lies before today, {self._state['today']}")
        if not 1 <= days <= MOST_DAYS:
            raise Refused(f"a booking lasts 1 to {MOST_DAYS} days, not {days}")
        for tag in items:
            self._item(tag)
            if not self._available(tag):
                raise Refused(f"{tag} is not available")
        most, hand = LIMITS[account["level"]], len(self._in_hand(customer)) + len(items)
        if hand > most:
            raise Refused(f"{customer} would have {hand} items in hand; a {account['level']} may have {most}")
        models = [self._state["models"][self._item(tag)["model"]] for tag in items]
        booking: JsonObject = {
            "booking": f"B-{self._next('booking')}",
            "customer": customer,
            "status": "reserved",
            "first_day": first_day,
            "until": until,
            "items": [{"item": tag, "back": None} for tag in items],
            "price": self._paid_days(customer, days) * sum(one["rate"] for one in models),
            "deposit": sum(one["deposit"] for one in models),
        }
        self._state["bookings"].append(booking)
        self._set_items(booking, "held")
        return {key: booking[key] for key in ("booking", "status", "price", "deposit")} | {"items": items}

    def hand_out(self, booking: str) -> JsonObject:
        one = self._booking(booking)
        if one["status"] != "reserved":
            raise Refused(f"{booking} is {one['status']}, not reserved")
        if one["first_day"] > self._state["today"]:
            raise Refused(f"{booking} begins on {one['first_day']}; today is {self._state['today']}")
        one["status"] = "out"
        self._set_items(one, "out")
        held = {"booking": booking, "amount": one["deposit"]}
        self._customer(one["customer"])["holds"].append(held)
        tags = [row["item"] for row in one["items"]]
        return {"booking": booking, "status": "out", "items": tags, "deposit_held": one["deposit"]}

    def take_back(self, item: str, condition: str) -> JsonObject:
        thing, today = self._item(item), self._state["today"]
        if thing["status"] != "out":
            raise Refused(f"{item} is not out; its status is {thing['status']}")
        booking, row = self._out_in(item)
        account = self._customer(booking["customer"])
        row["back"] = today
        late = max(0, (day(today) - day(booking["until"])).days)
        charged, job = LATE * late, None
        thing.update(condition=condition, status="in", trips=thing["trips"] + 1)
        if condition == "damaged":
            charged, job = charged + DAMAGE, f"J-{self._next('job')}"
            thing["status"] = "workshop"
            facts = {"item": item, "fault": "found at return", "opened": today}
            self._state["jobs"][job] = {**facts, "closed": None, "result": None}
        account["balance"] += charged
        if all(one["back"] for one in booking["items"]):
            booking["status"] = "returned"
            account["holds"] = [one for one in account["holds"] if one["booking"] != booking["booking"]]
        said = {"item": item, "booking": booking["booking"], "status": thing["status"], "late_days": late}
        return {**said, "charged": charged, "booking_status": booking["status"], "job": job}

    def finish_job(self, job: str, result: str) -> JsonObject:
        if job not in self._state["jobs"]:
            raise Refused(f"there is no job {job}")
        record = self._state["jobs"][job]
        if record["closed"]:
            raise Refused(f"{job} was closed on {record['closed']}")
        record.update(closed=self._state["today"], result=result)
        good = result == "repaired"
        thing = self._item(record["item"])
        thing.update(condition="good" if good else "scrapped", status="in" if good else "retired")
        said = {"job": job, "item": record["item"], "result": result, "closed": record["closed"]}
        return {**said, "status": thing["status"]}

    def close_day(self) -> JsonObject:
        today = str(day(self._state["today"]) + timedelta(days=1))
        self._state["today"] = today
        cancelled = []
        for one in self._state["bookings"]:
            if one["status"] == "reserved" and one["first_day"] < today:
                one["status"] = "cancelled"
                self._set_items(one, "in")
                cancelled.append(one["booking"])
        overdue = [one["booking"] for one in self._state["bookings"] if self._overdue(one)]
        return {"today": today, "cancelled": cancelled, "overdue": overdue}

    def _may_book(self, card: str, account: JsonObject) -> None:
        if account["blocked"]:
            raise Refused(f"{card} is blocked")
        if account["balance"] > MOST_DEBT:
            raise Refused(f"{card} owes {account['balance']}, more than {MOST_DEBT}")
        for one in self._state["bookings"]:
            if one["customer"] == card and self._overdue(one):
                raise Refused(f"{card} has an overdue booking, {one['booking']}")

    def _level(self, model: str) -> JsonObject:
        facts = self._state["models"][model]
        tags = [tag for tag, one in self._state["items"].items() if one["model"] == model]
        ready = sum(map(self._available, tags))
        out = sum(self._item(tag)["status"] == "out" for tag in tags)
        row = {"model": model, "kind": facts["kind"], "available": ready, "out": out}
        return {**row, "target": facts["target"], "short_by": max(0, facts["target"] - ready)}

    def _available(self, tag: str) -> bool:
        one = self._item(tag)
        return bool(one["status"] == "in" and one["trips"] < MOST_TRIPS)

    def _overdue(self, booking: JsonObject) -> bool:
        return bool(booking["status"] == "out" and booking["until"] < self._state["today"])

    def _paid_days(self, card: str, days: int) -> int:
        return max(1, days - 1) if self._customer(card)["level"] == "member" else days

    def _in_hand(self, card: str) -> list[str]:
        return [
            row["item"]
            for one in self._state["bookings"]
            if one["customer"] == card and one["status"] in ("reserved", "out")
            for row in one["items"]
            if row["back"] is None
        ]

    def _out_in(self, tag: str) -> tuple[JsonObject, JsonObject]:
        return next(
            (one, row)
            for one in self._state["bookings"]
            if one["status"] == "out"
            for row in one["items"]
            if row["item"] == tag and row["back"] is None
        )

    def _set_items(self, booking: JsonObject, status: str) -> None:
        for row in booking["items"]:
            self._item(row["item"])["status"] = status

    def _next(self, kind: str) -> int:
        number = int(self._state["numbers"][kind])
        self._state["numbers"][kind] = number + 1
        return number

    def _kind(self, tag: str) -> str:
        return str(self._state["models"][self._item(tag)["model"]]["kind"])

    def _item(self, tag: str) -> JsonObject:
        if tag not in self._state["items"]:
            raise Refused(f"there is no item {tag}")
        record: JsonObject = self._state["items"][tag]
        return record

    def _customer(self, card: str) -> JsonObject:
        if card not in self._state["customers"]:
            raise Refused(f"there is no customer {card}")
        record: JsonObject = self._state["customers"][card]
        return record

    def _booking(self, name: str) -> JsonObject:
        for one in self._state["bookings"]:
            if one["booking"] == name:
                found: JsonObject = one
                return found
        raise Refused(f"there is no booking {name}")
