"""The docket service of a district court."""

from __future__ import annotations

from datetime import date as day_of
from datetime import timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

DONE = ("decided", "closed")
SHOWN = ("caption", "stage")


class Twin(ToolTwin):
    """The tools of the service."""

    def query_cases(
        self,
        filter: JsonObject | None = None,  # noqa: A002
        fields: list[str] | None = None,
        orderBy: str = "number",  # noqa: N803
        limit: int | None = None,
    ) -> JsonObject:
        wanted = filter or {}
        if "judge" in wanted:
            self._judge(wanted["judge"])
        for date in wanted.get("filed", {}).values():
            _day(date)
        found = [
            {"number": number, **one}
            for number, one in self._state["cases"].items()
            if _satisfies(one, wanted)
        ]
        found.sort(key=lambda one: (one[orderBy], one["number"]))
        shown = [key for key in found[0] if key in (fields or SHOWN)] if found else []
        rows = [{key: one[key] for key in ("number", *shown)} for one in found]
        return {"matched": len(rows), "cases": rows[:limit]}

    def read_case(self, number: str, clearance: str = "public") -> JsonObject:
        one = self._case(number)
        visible = [item for item in one["documents"] if clearance == "registry" or not item["sealed"]]
        hearings = [
            {"hearing": name, **{key: value for key, value in record.items() if key != "case"}}
            for name, record in self._state["hearings"].items()
            if record["case"] == number
        ]
        return {
            "number": number,
            **one,
            "documents": visible,
            "withheld": len(one["documents"]) - len(visible),
            "hearings": sorted(hearings, key=lambda item: (item["date"], item["at"])),
        }

    def week(self, containing: str, room: str | None = None, judge: str | None = None) -> JsonObject:
        if room is not None:
            self._room(room)
        if judge is not None:
            self._judge(judge)
        day = _day(containing)
        monday = day - timedelta(days=day.weekday())
        days: JsonObject = {}
        for at in range(5):
            one = (monday + timedelta(days=at)).isoformat()
            days[one] = self._list(one, room, judge) if self._sits(one) else None
        return {"days": days}

    def free_slots(self, date: str, minutes: int, judge: str | None = None) -> JsonObject:
        if judge is not None:
            self._judge(judge)
        if not self._sits(date):
            raise Refused(f"The court does not sit on {date}.")
        begin, end = (_minute(self._state["sitting"][key]) for key in ("begin", "end"))
        rooms = {}
        for room in self._state["rooms"]:
            taken = sorted(
                _span(one)
                for one in self._set_hearings()
                if one["date"] == date
                and (one["room"] == room or (judge is not None and self._judge_of(one) == judge))
            )
            free, at = [], begin
            for first, last in [*taken, (end, end)]:
                if first - at >= minutes:
                    free.append({"from": _clock(at), "to": _clock(first)})
                at = max(at, last)
            rooms[room] = free
        return {"date": date, "rooms": rooms}

    def count_cases(self, by: str, open: bool | None = None) -> JsonObject:  # noqa: A002
        counts: dict[str, int] = {}
        for one in self._state["cases"].values():
            if open in (None, _is_open(one)):
                counts[one[by]] = counts.get(one[by], 0) + 1
        return {"by": by, "counts": counts, "total": sum(counts.values())}

    def judge_load(self, judge: str) -> JsonObject:
        coming = sorted(
            (record["date"], record["at"], name, record["minutes"])
            for name, record in self._state["hearings"].items()
            if record["state"] == "set"
            and record["date"] >= self._state["today"]
            and self._judge_of(record) == judge
        )
        first = coming[0] if coming else None
        return {
            "judge": judge,
            "name": self._judge(judge)["name"],
            "openCases": self._open_cases(judge),
            "setHearings": len(coming),
            "minutesSet": sum(one[3] for one in coming),
            "next": first and {"hearing": first[2], "date": first[0], "at": first[1]},
        }

    def time_limit(self, start: str, days: int, kind: str) -> JsonObject:
        end, left, rolled = _day(start), days, False
        while left:
            end += timedelta(days=1)
            left -= kind == "calendar" or self._sits(end.isoformat())
        while not self._sits(end.isoformat()):
            end, rolled = end + timedelta(days=1), True
        return {"start": start, "days": days, "kind": kind, "ends": end.isoformat(), "rolled": rolled}

    def find_documents(self, words: list[str], division: str | None = None) -> JsonObject:
        rows = [
            {"case": number, **{key: item[key] for key in ("no", "title", "filed")}}
            for number, one in sorted(self._state["cases"].items())
            for item in one["documents"]
            if division in (None, one["division"])
            and not item["sealed"]
            and all(word.lower() in item["title"].lower() for word in words)
        ]
        rows.sort(key=lambda row: row["filed"], reverse=True)
        return {"hits": len(rows), "documents": rows}

    def set_hearing(self, number: str, date: str, at: str, minutes: int, room: str) -> JsonObject:
        case = self._case(number)
        name = self._set(number, date, at, minutes, room)
        if case["stage"] == "intake":
            case["stage"] = "listed"
        return {
            "hearing": name,
            "case": number,
            "judge": case["judge"],
            "date": date,
            "at": at,
            "until": _until(self._hearing(name)),
            "room": room,
            "stage": case["stage"],
        }

    def adjourn_hearing(self, hearing: str, date: str, at: str, reason: str) -> JsonObject:
        old = self._still_set(hearing)
        old.update(state="adjourned", reason=reason)
        name = self._set(old["case"], date, at, old["minutes"], old["room"])
        return {
            "adjourned": hearing,
            "reason": reason,
            "hearing": name,
            "date": date,
            "at": at,
            "until": _until(self._hearing(name)),
            "room": old["room"],
        }

    def vacate_hearing(self, hearing: str, reason: str) -> JsonObject:
        one = self._still_set(hearing)
        one.update(state="vacated", reason=reason)
        case = self._case(one["case"])
        if case["stage"] == "listed" and not self._has_set(one["case"]):
            case["stage"] = "intake"
        return {
            "hearing": hearing,
            "state": "vacated",
            "reason": reason,
            "case": one["case"],
            "stage": case["stage"],
        }

    def hold_hearing(self, hearing: str) -> JsonObject:
        one = self._still_set(hearing)
        if one["date"] > self._state["today"]:
            raise Refused(f"{hearing} is not before {one['date']}.")
        one["state"] = "held"
        case = self._case(one["case"])
        if case["stage"] == "listed":
            case["stage"] = "heard"
        return {"hearing": hearing, "state": "held", "case": one["case"], "stage": case["stage"]}

    def file_document(self, number: str, title: str, by: str, pages: int, sealed: bool = False) -> JsonObject:
        case = self._case(number)
        if case["stage"] == "closed":
            raise Refused(f"The file of {number} is closed.")
        if by not in [one["name"] for one in case["parties"]]:
            raise Refused(f"{by} is no party to {case['caption']}.")
        items = case["documents"]
        no = len(items) + 1
        filed = self._state["today"]
        items.append({"no": no, "title": title, "by": by, "filed": filed, "pages": pages, "sealed": sealed})
        total = sum(one["pages"] for one in items)
        return {"number": number, "no": no, "title": title, "sealed": sealed, "pagesInCase": total}

    def set_seal(self, number: str, no: int, sealed: bool) -> JsonObject:
        items = self._case(number)["documents"]
        if no > len(items):
            raise Refused(f"{number} has no document {no}.")
        if items[no - 1]["sealed"] == sealed:
            raise Refused(f"Document {no} is {'under' if sealed else 'not under'} seal already.")
        items[no - 1]["sealed"] = sealed
        under = [one["no"] for one in items if one["sealed"]]
        return {"number": number, "no": no, "sealed": sealed, "underSeal": under}

    def reassign(self, number: str, judge: str) -> JsonObject:
        case = self._open_case(number)
        record = self._judge(judge)
        if case["division"] not in record["divisions"]:
            raise Refused(f"{record['name']} does not sit in the {case['division']} division.")
        if case["judge"] == judge:
            raise Refused(f"{record['name']} has that case already.")
        for one in self._set_hearings():
            if one["case"] != number:
                continue
            for other in self._set_hearings():
                if self._judge_of(other) == judge and _collide(one, other):
                    raise Refused(f"{record['name']} sits in another case on {one['date']} at {other['at']}.")
        before = case["judge"]
        case["judge"] = judge
        return {"number": number, "from": before, "to": judge, "openCases": len(self._open_cases(judge))}

    def decide(self, number: str, outcome: str) -> JsonObject:
        case = self._case(number)
        if case["stage"] != "heard":
            raise Refused(f"{case['caption']} is {case['stage']}, so it can't be decided.")
        if self._has_set(number):
            raise Refused(f"A hearing in {case['caption']} is still to come.")
        case.update(stage="decided", outcome=outcome, decidedOn=self._state["today"])
        return {
            "number": number,
            "stage": "decided",
            "outcome": outcome,
            "decidedOn": case["decidedOn"],
        }

    def _set(self, number: str, date: str, at: str, minutes: int, room: str) -> str:
        case = self._open_case(number)
        hall = self._room(room)
        new = {
            "case": number,
            "date": date,
            "at": at,
            "minutes": minutes,
            "room": room,
            "state": "set",
            "reason": None,
        }
        if not self._sits(date):
            raise Refused(f"The court does not sit on {date}.")
        if date <= self._state["today"]:
            raise Refused("A hearing can only be set for a later day.")
        first, last = _span(new)
        sitting = self._state["sitting"]
        if first < _minute(sitting["begin"]) or last > _minute(sitting["end"]):
            raise Refused(f"The court sits from {sitting['begin']} to {sitting['end']}.")
        if case["division"] == "criminal" and not hall["dock"]:
            raise Refused(f"Room {room} has no dock.")
        for name, other in self._state["hearings"].items():
            if other["state"] != "set" or not _collide(new, other):
                continue
            if other["room"] == room:
                raise Refused(f"Room {room} is taken by {name} at that time.")
            if self._judge_of(other) == case["judge"]:
                raise Refused(f"The judge sits in {name} at that time.")
        name = f"H-{self._state['nextHearing']}"
        self._state["nextHearing"] += 1
        self._state["hearings"][name] = new
        return name

    def _list(self, date: str, room: str | None, judge: str | None) -> list[JsonObject]:
        rows = [
            {
                "hearing": name,
                "at": one["at"],
                "until": _until(one),
                "room": one["room"],
                "case": one["case"],
                "judge": self._judge_of(one),
            }
            for name, one in self._state["hearings"].items()
            if one["state"] == "set"
            and one["date"] == date
            and room in (None, one["room"])
            and judge in (None, self._judge_of(one))
        ]
        return sorted(rows, key=lambda row: (row["at"], row["room"]))

    def _sits(self, date: str) -> bool:
        return _day(date).weekday() < 5 and date not in self._state["closedDays"]

    def _set_hearings(self) -> list[JsonObject]:
        return [one for one in self._state["hearings"].values() if one["state"] == "set"]

    def _has_set(self, number: str) -> bool:
        return any(one["case"] == number for one in self._set_hearings())

    def _still_set(self, hearing: str) -> JsonObject:
        one = self._hearing(hearing)
        if one["state"] != "set":
            raise Refused(f"{hearing} is {one['state']}.")
        return one

    def _judge_of(self, hearing: JsonObject) -> str:
        return str(self._case(hearing["case"])["judge"])

    def _open_cases(self, judge: str) -> list[str]:
        return [
            number for number, one in self._state["cases"].items() if one["judge"] == judge and _is_open(one)
        ]

    def _open_case(self, number: str) -> JsonObject:
        case = self._case(number)
        if not _is_open(case):
            raise Refused(f"{case['caption']} is {case['stage']}.")
        return case

    def _case(self, number: str) -> JsonObject:
        return self._entry("cases", number, "case")

    def _hearing(self, number: str) -> JsonObject:
        return self._entry("hearings", number, "hearing")

    def _judge(self, code: str) -> JsonObject:
        return self._entry("judges", code, "judge")

    def _room(self, number: str) -> JsonObject:
        return self._entry("rooms", number, "room")

    def _entry(self, where: str, name: str, what: str) -> JsonObject:
        if name not in self._state[where]:
            raise Refused(f"The docket knows no {what} {name}.")
        record: JsonObject = self._state[where][name]
        return record


def _satisfies(case: JsonObject, wanted: JsonObject) -> bool:
    names = [one["name"].lower() for one in case["parties"]]
    filed = wanted.get("filed", {})
    return (
        wanted.get("division") in (None, case["division"])
        and wanted.get("judge") in (None, case["judge"])
        and case["stage"] in wanted.get("stage", [case["stage"]])
        and any(wanted.get("party", "").lower() in name for name in names)
        and wanted.get("hasCounsel") in (None, all(one["counsel"] for one in case["parties"]))
        and wanted.get("open") in (None, _is_open(case))
        and filed.get("from", "") <= case["filed"] <= filed.get("to", "9999")
    )


def _is_open(case: JsonObject) -> bool:
    return case["stage"] not in DONE


def _collide(one: JsonObject, other: JsonObject) -> bool:
    first, last = _span(one)
    begins, ends = _span(other)
    return bool(one["date"] == other["date"] and first < ends and begins < last)


def _span(hearing: JsonObject) -> tuple[int, int]:
    first = _minute(hearing["at"])
    return first, first + hearing["minutes"]


def _until(hearing: JsonObject) -> str:
    return _clock(_span(hearing)[1])


def _minute(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _day(text: str) -> day_of:
    try:
        return day_of.fromisoformat(text)
    except ValueError as error:
        raise Refused(f"{text} is not a date.") from error
