"""The back end of a leave system."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LIVE = ("pending", "approved")
SICK_DAYS_BACK = 7


class Twin(ToolTwin):
    """The tools of the system."""

    def search_employees(
        self,
        include_leavers: bool = False,
        sort_by: str = "emp_no",
        descending: bool = False,
        page: int = 1,
        page_size: int = 5,
        **wanted: Any,
    ) -> JsonObject:
        query, dept, managed_by = wanted.get("query"), wanted.get("dept"), wanted.get("managed_by")
        min_grade, hired_since = wanted.get("min_grade"), wanted.get("hired_since")
        if dept is not None:
            self._dept(dept)
        if managed_by is not None:
            self._employee(managed_by)
        if hired_since is not None:
            _day(hired_since)
        found = [
            one
            for one in self._state["employees"]
            if (include_leavers or one["left_on"] is None)
            and (query is None or query.lower() in one["full_name"].lower())
            and dept in (None, one["dept"])
            and managed_by in (None, one["manager"])
            and (min_grade is None or one["grade"] >= min_grade)
            and (hired_since is None or one["hired_on"] >= hired_since)
        ]
        found.sort(key=lambda one: one[sort_by], reverse=descending)
        rows = [
            {key: one[key] for key in ("emp_no", "full_name", "dept", "grade", "manager")} for one in found
        ]
        return _page(rows, page, page_size)

    def get_employee(self, emp_no: int) -> JsonObject:
        return {
            **self._employee(emp_no),
            "reports": [one["emp_no"] for one in self._staff() if one["manager"] == emp_no],
            "live_requests": [one["ref"] for one in self._live(emp_no)],
        }

    def leave_balance(self, emp_no: int) -> JsonObject:
        return {"emp_no": emp_no, "year": self._year(), **self._balance(emp_no)}

    def search_requests(
        self, newest_first: bool = False, page: int = 1, page_size: int = 5, **wanted: Any
    ) -> JsonObject:
        states, kind, dept = wanted.get("states"), wanted.get("type"), wanted.get("dept")
        emp_no, approver = wanted.get("emp_no"), wanted.get("approver")
        covers, min_days = wanted.get("covers"), wanted.get("min_days")
        if dept is not None:
            self._dept(dept)
        for number in (emp_no, approver):
            if number is not None:
                self._employee(number)
        if covers is not None:
            _day(covers)
        found = [
            self._row(one)
            for one in self._state["requests"]
            if (states is None or one["state"] in states)
            and kind in (None, one["type"])
            and dept in (None, self._employee(one["emp_no"])["dept"])
            and emp_no in (None, one["emp_no"])
            and (covers is None or one["first_day"] <= covers <= one["last_day"])
            and (approver is None or self._waits_for(one) == approver)
            and (min_days is None or self._days(one) >= min_days)
        ]
        return _page(found[::-1] if newest_first else found, page, page_size)

    def get_request(self, ref: int) -> JsonObject:
        one = self._request(ref)
        return {**one, "days": self._days(one)}

    def absences_on(self, date: str, dept: str | None = None) -> JsonObject:
        if dept is not None:
            self._dept(dept)
        working = self._works(_day(date))
        away: list[JsonObject] = []
        present = 0
        for one in self._state["employees"] if working else []:
            if dept not in (None, one["dept"]):
                continue
            leave = self._leave_of(one["emp_no"], date)
            if leave is not None:
                away.append(
                    {
                        "emp_no": one["emp_no"],
                        "full_name": one["full_name"],
                        "type": leave["type"],
                        "back_on": self._back_on(leave),
                    }
                )
            elif one["left_on"] is None:
                present += 1
        return {"date": date, "working_day": working, "away": away, "present": present}

    def count_days(self, first_day: str, last_day: str) -> JsonObject:
        span = _span(first_day, last_day)
        if not span:
            raise Refused("the last day comes before the first day")
        return {
            "first_day": first_day,
            "last_day": last_day,
            "calendar_days": len(span),
            "working_days": sum(self._works(one) for one in span),
            "public_holidays": [
                one.isoformat() for one in span if one.isoformat() in self._state["public_holidays"]
            ],
        }

    def leave_statistics(self, group_by: str, dept: str | None = None) -> JsonObject:
        if dept is not None:
            self._dept(dept)
        groups: dict[str, list[int]] = {}
        for one in self._state["requests"]:
            person = self._employee(one["emp_no"])
            if one["state"] != "approved" or dept not in (None, person["dept"]):
                continue
            key = {
                "dept": person["dept"],
                "type": one["type"],
                "month": one["first_day"][:7],
                "employee": person["full_name"],
            }[group_by]
            groups.setdefault(key, []).append(self._days(one))
        return {
            "group_by": group_by,
            "groups": [
                {"key": key, "requests": len(days), "days": sum(days)} for key, days in sorted(groups.items())
            ],
            "requests": sum(len(days) for days in groups.values()),
            "days": sum(sum(days) for days in groups.values()),
        }

    def audit_trail(
        self,
        ref: int | None = None,
        actor: int | None = None,
        action: str | None = None,
        limit: int | None = None,
    ) -> JsonObject:
        if ref is not None:
            self._request(ref)
        if actor is not None:
            self._employee(actor)
        rows = [
            one
            for one in self._state["audit"]
            if ref in (None, one["ref"]) and actor in (None, one["actor"]) and action in (None, one["action"])
        ]
        return {"matched": len(rows), "rows": rows[::-1][:limit]}

    def file_request(self, emp_no: int, type: str, first_day: str, last_day: str) -> JsonObject:  # noqa: A002
        person = self._employee(emp_no)
        if person["left_on"] is not None:
            raise Refused(f"{person['full_name']} left on {person['left_on']}.")
        days = sum(self._works(one) for one in _span(first_day, last_day))
        if _day(last_day) < _day(first_day):
            raise Refused("The last day comes before the first day.")
        if days == 0:
            raise Refused("There is no working day in that span.")
        for one in self._live(emp_no):
            if one["first_day"] <= last_day and first_day <= one["last_day"]:
                raise Refused(f"It overlaps request {one['ref']}.")
        self._may_begin(emp_no, type, first_day, days)
        at_once = type == "sick"
        row = {
            "ref": self._state["counters"]["next_ref"],
            "emp_no": emp_no,
            "type": type,
            "first_day": first_day,
            "last_day": last_day,
            "state": "approved" if at_once else "pending",
            "filed_on": self._state["as_of"],
            "decided_on": self._state["as_of"] if at_once else None,
            "decided_by": None,
            "comment": "",
        }
        self._state["counters"]["next_ref"] += 1
        self._state["requests"].append(row)
        self._note(emp_no, "filed", row["ref"])
        return {
            "ref": row["ref"],
            "emp_no": emp_no,
            "type": type,
            "days": days,
            "state": row["state"],
            "waits_for": None if at_once else person["manager"],
        }

    def decide_request(self, ref: int, decider: int, verdict: str, comment: str | None = None) -> JsonObject:
        one = self._request(ref)
        self._employee(decider)
        person = self._employee(one["emp_no"])
        if one["state"] != "pending":
            raise Refused(f"Request {ref} is {one['state']}, not pending.")
        if person["manager"] != decider:
            raise Refused(f"Only the manager of {person['full_name']} can decide that.")
        if verdict == "decline":
            if comment is None:
                raise Refused("A comment is needed to decline.")
            state = "declined"
        else:
            self._may_be_away(one, person)
            state = "approved"
        one.update(state=state, decided_on=self._state["as_of"], decided_by=decider, comment=comment or "")
        self._note(decider, state, ref)
        return {
            "ref": ref,
            "state": state,
            "decided_by": decider,
            "decided_on": one["decided_on"],
            "comment": one["comment"],
            "left": self._balance(one["emp_no"])["left"],
        }

    def undo_decision(self, ref: int, decider: int) -> JsonObject:
        one = self._request(ref)
        self._employee(decider)
        if one["state"] not in ("approved", "declined") or one["decided_by"] != decider:
            raise Refused(f"{decider} has made no decision on request {ref} that stands.")
        if one["decided_on"] != self._state["as_of"]:
            raise Refused(f"Request {ref} was decided on {one['decided_on']}; that is too long ago.")
        was = one["state"]
        one.update(state="pending", decided_on=None, decided_by=None, comment="")
        self._note(decider, "undone", ref)
        return {"ref": ref, "was": was, "state": "pending"}

    def withdraw_request(self, ref: int) -> JsonObject:
        one = self._request(ref)
        if one["state"] not in LIVE:
            raise Refused(f"Request {ref} is {one['state']} and can't be withdrawn.")
        if one["first_day"] <= self._state["as_of"]:
            raise Refused(f"Request {ref} has begun.")
        was = one["state"]
        one["state"] = "withdrawn"
        self._note(one["emp_no"], "withdrawn", ref)
        return {"ref": ref, "was": was, "state": "withdrawn", "days_given_back": self._days(one)}

    def _may_begin(self, emp_no: int, kind: str, first_day: str, days: int) -> None:
        today = _day(self._state["as_of"])
        earliest = today - timedelta(days=SICK_DAYS_BACK) if kind == "sick" else today
        if _day(first_day) < earliest:
            raise Refused(f"{kind.capitalize()} leave can't begin before {earliest.isoformat()}.")
        if kind == "annual":
            if _day(first_day).year != self._year():
                raise Refused(f"Annual leave has to begin in {self._year()}.")
            left = self._balance(emp_no)["left"]
            if days > left:
                raise Refused(f"That takes {days} days and only {left} are left.")

    def _may_be_away(self, request: JsonObject, person: JsonObject) -> None:
        first, last = request["first_day"], request["last_day"]
        for one in self._state["blackouts"] if request["type"] == "annual" else []:
            if one["dept"] == person["dept"] and one["first_day"] <= last and first <= one["last_day"]:
                raise Refused(
                    f"No annual leave from {one['first_day']} to {one['last_day']}: {one['reason']}."
                )
        least = self._dept(person["dept"])["min_present"]
        for day in _span(first, last):
            if not self._works(day):
                continue
            there = sum(
                one["dept"] == person["dept"]
                and one["emp_no"] != person["emp_no"]
                and self._leave_of(one["emp_no"], day.isoformat()) is None
                for one in self._staff()
            )
            if there < least:
                raise Refused(f"Only {there} would be there on {day.isoformat()}; {least} are needed.")

    def _balance(self, emp_no: int) -> JsonObject:
        grant = self._employee(emp_no)["entitlement"]
        sums = {"used": 0, "booked": 0, "pending": 0}
        for one in self._live(emp_no):
            if one["type"] != "annual" or _day(one["first_day"]).year != self._year():
                continue
            over = one["last_day"] < self._state["as_of"]
            key = "pending" if one["state"] == "pending" else "used" if over else "booked"
            sums[key] += self._days(one)
        granted = grant["annual"] + grant["carried"]
        return {"granted": granted, **sums, "left": granted - sum(sums.values())}

    def _waits_for(self, request: JsonObject) -> int | None:
        if request["state"] != "pending":
            return None
        manager: int | None = self._employee(request["emp_no"])["manager"]
        return manager

    def _row(self, request: JsonObject) -> JsonObject:
        person = self._employee(request["emp_no"])
        return {
            "ref": request["ref"],
            "emp_no": request["emp_no"],
            "employee": person["full_name"],
            "dept": person["dept"],
            **{key: request[key] for key in ("type", "first_day", "last_day")},
            "days": self._days(request),
            "state": request["state"],
        }

    def _leave_of(self, emp_no: int, day: str) -> JsonObject | None:
        for one in self._state["requests"]:
            covers = one["first_day"] <= day <= one["last_day"]
            if one["emp_no"] == emp_no and one["state"] == "approved" and covers:
                found: JsonObject = one
                return found
        return None

    def _back_on(self, leave: JsonObject) -> str:
        day = _day(leave["last_day"]) + timedelta(days=1)
        while not self._works(day):
            day += timedelta(days=1)
        return day.isoformat()

    def _days(self, request: JsonObject) -> int:
        return sum(self._works(one) for one in _span(request["first_day"], request["last_day"]))

    def _works(self, day: date) -> bool:
        return day.weekday() < 5 and day.isoformat() not in self._state["public_holidays"]

    def _year(self) -> int:
        return _day(self._state["as_of"]).year

    def _staff(self) -> list[JsonObject]:
        return [one for one in self._state["employees"] if one["left_on"] is None]

    def _live(self, emp_no: int) -> list[JsonObject]:
        return [one for one in self._state["requests"] if one["emp_no"] == emp_no and one["state"] in LIVE]

    def _note(self, actor: int, action: str, ref: int) -> None:
        counters = self._state["counters"]
        self._state["audit"].append(
            {
                "seq": counters["next_seq"],
                "on": self._state["as_of"],
                "actor": actor,
                "action": action,
                "ref": ref,
            }
        )
        counters["next_seq"] += 1

    def _dept(self, code: str) -> JsonObject:
        return self._entry("departments", "dept", code, "department")

    def _employee(self, number: int) -> JsonObject:
        return self._entry("employees", "emp_no", number, "employee")

    def _request(self, ref: int) -> JsonObject:
        return self._entry("requests", "ref", ref, "request")

    def _entry(self, table: str, key: str, value: object, what: str) -> JsonObject:
        for one in self._state[table]:
            if one[key] == value:
                found: JsonObject = one
                return found
        raise Refused(f"There is no {what} {value} on file.")


def _page(rows: list[JsonObject], page: int, size: int) -> JsonObject:
    return {
        "page": page,
        "page_size": size,
        "total_items": len(rows),
        "total_pages": -(-len(rows) // size),
        "items": rows[(page - 1) * size : page * size],
    }


def _span(first: str, last: str) -> list[date]:
    count = (_day(last) - _day(first)).days + 1
    return [_day(first) + timedelta(days=one) for one in range(count)]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Refused(f"{text} is not a date.") from error
