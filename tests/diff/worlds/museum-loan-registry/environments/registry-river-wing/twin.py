"""The collection database of a museum that lends."""

from __future__ import annotations

from datetime import date

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LEAST_DAYS = 30
IN_A_CRATE = 2


class Twin(ToolTwin):
    """The tools of the database."""

    def searchObjects(  # noqa: N802
        self,
        kind: str | None = None,
        site: str | None = None,
        status: str | None = None,
        sensitive: bool | None = None,
        titleContains: str | None = None,  # noqa: N803
        inspectedBefore: str | None = None,  # noqa: N803
    ) -> JsonObject:
        rooms = self._site(site)["rooms"] if site is not None else None
        rows = {
            name: {
                **{key: one[key] for key in ("title", "kind", "status", "room")},
                "lastGrade": _grade(one),
            }
            for name, one in self._state["objects"].items()
            if kind in (None, one["kind"])
            and (rooms is None or one["room"] in rooms)
            and status in (None, one["status"])
            and sensitive in (None, one["sensitive"])
            and (titleContains is None or titleContains.lower() in one["title"].lower())
            and (inspectedBefore is None or _inspected(one) < inspectedBefore)
        }
        return {"found": len(rows), "objects": rows}

    def showObject(self, objectId: str) -> JsonObject:  # noqa: N802, N803
        one = self._object(objectId)
        return {
            "objectId": objectId,
            **one,
            "site": self._site_of(one["room"]) if one["room"] else None,
            "loans": [name for name, loan in self._state["loans"].items() if objectId in loan["items"]],
        }

    def listRooms(self, site: str) -> JsonObject:  # noqa: N802
        record = self._site(site)
        rooms = {}
        for name, room in record["rooms"].items():
            rooms[name] = {
                "title": room["title"],
                "climate": room["climate"],
                "objects": self._in_room(name),
                "spaceLeft": self._space(name),
            }
        return {"site": site, "name": record["name"], "rooms": rooms}

    def listLoans(  # noqa: N802
        self,
        status: str | None = None,
        borrower: str | None = None,
        country: str | None = None,
        kind: str | None = None,
        closesBy: str | None = None,  # noqa: N803
    ) -> JsonObject:
        if borrower is not None:
            self._borrower(borrower)
        rows = {
            name: {
                "borrower": loan["borrower"],
                "status": loan["status"],
                "closes": loan["closes"],
                "openItems": sum(item["returned"] is None for item in loan["items"].values()),
                "overdue": loan["status"] == "out" and loan["closes"] < self._state["today"],
            }
            for name, loan in self._state["loans"].items()
            if status in (None, loan["status"])
            and borrower in (None, loan["borrower"])
            and country in (None, self._state["borrowers"][loan["borrower"]]["country"])
            and (kind is None or any(self._object(item)["kind"] == kind for item in loan["items"]))
            and (closesBy is None or loan["closes"] <= closesBy)
        }
        return {"loans": rows}

    def showLoan(self, loanId: str) -> JsonObject:  # noqa: N802, N803
        loan = self._loan(loanId)
        return {
            "loanId": loanId,
            **loan,
            "totalValue": sum(item["value"] for item in loan["items"].values()),
            "unpacked": self._unpacked(loan),
        }

    def borrowerRecord(self, borrower: str) -> JsonObject:  # noqa: N802
        record = self._borrower(borrower)
        exposure = self._exposure(borrower)
        return {
            "borrower": borrower,
            **record,
            "activeLoans": self._active(borrower),
            "exposure": exposure,
            "headroom": record["ceiling"] - exposure,
        }

    def listCrates(self, free: bool | None = None, kind: str | None = None) -> JsonObject:  # noqa: N802
        return {
            "crates": {
                name: crate
                for name, crate in self._state["crates"].items()
                if free in (None, crate["reservedFor"] is None)
                and (kind is None or kind in crate["fittedFor"])
            }
        }

    def draftLoan(self, borrower: str, objectIds: list[str], opens: str, closes: str) -> JsonObject:  # noqa: N802, N803
        house = self._borrower(borrower)
        if _day(opens) <= _day(self._state["today"]):
            raise Refused("a loan must open after today")
        if (_day(closes) - _day(opens)).days < LEAST_DAYS:
            raise Refused(f"a loan must last {LEAST_DAYS} days at least")
        for name in objectIds:
            self._may_lend(name, house)
        items = {
            name: {"value": self._object(name)["insuredFor"], "crate": None, "returned": None}
            for name in objectIds
        }
        total = sum(item["value"] for item in items.values())
        left = house["ceiling"] - self._exposure(borrower) - total
        if left < 0:
            raise Refused(f"the loan would go {-left} over the ceiling of {borrower}")
        loan = f"LN-{self._state['nextLoan']}"
        self._state["nextLoan"] += 1
        self._state["loans"][loan] = {
            "borrower": borrower,
            "opens": opens,
            "closes": closes,
            "status": "draft",
            "items": items,
        }
        return {
            "loanId": loan,
            "status": "draft",
            "borrower": borrower,
            "objectIds": objectIds,
            "totalValue": total,
            "headroomLeft": left,
        }

    def packItem(self, loanId: str, objectId: str, crate: str) -> JsonObject:  # noqa: N802, N803
        loan, item = self._item(loanId, objectId, "draft")
        if item["crate"] is not None:
            raise Refused(f"{objectId} is packed already")
        box = self._crate(crate)
        kind = self._object(objectId)["kind"]
        if kind not in box["fittedFor"]:
            raise Refused(f"{crate} is not fitted for {kind}")
        if box["reservedFor"] not in (None, loanId):
            raise Refused(f"{crate} is reserved for {box['reservedFor']}")
        if sum(one["crate"] == crate for one in loan["items"].values()) >= IN_A_CRATE:
            raise Refused(f"{crate} carries {IN_A_CRATE} objects already")
        box["reservedFor"] = loanId
        item["crate"] = crate
        self._object(objectId)["status"] = "packed"
        return {"loanId": loanId, "objectId": objectId, "crate": crate, "stillUnpacked": self._unpacked(loan)}

    def sendLoan(self, loanId: str) -> JsonObject:  # noqa: N802, N803
        loan = self._loan(loanId)
        if loan["status"] != "draft":
            raise Refused(f"{loanId} is {loan['status']}")
        if self._unpacked(loan):
            raise Refused(f"not packed yet: {', '.join(self._unpacked(loan))}")
        loan["status"] = "out"
        for name in loan["items"]:
            self._object(name).update(status="onLoan", room=None)
        crates = list(dict.fromkeys(item["crate"] for item in loan["items"].values()))
        return {"loanId": loanId, "status": "out", "objectIds": list(loan["items"]), "crates": crates}

    def receiveItem(self, loanId: str, objectId: str, room: str, grade: str, by: str) -> JsonObject:  # noqa: N802, N803
        loan, item = self._item(loanId, objectId, "out")
        if item["returned"] is not None:
            raise Refused(f"{objectId} came back on {item['returned']}")
        one = self._object(objectId)
        self._may_stand(one, room)
        one.update(status="conservation" if grade == "D" else "inHouse", room=room)
        one["conditionReports"].append({"date": self._state["today"], "grade": grade, "by": by})
        crate = item["crate"]
        item.update(returned=self._state["today"], crate=None)
        freed = None
        if all(other["crate"] != crate for other in loan["items"].values()):
            self._crate(crate)["reservedFor"] = None
            freed = crate
        if all(other["returned"] is not None for other in loan["items"].values()):
            loan["status"] = "closed"
        return {
            "loanId": loanId,
            "objectId": objectId,
            "status": one["status"],
            "room": room,
            "loanStatus": loan["status"],
            "crateFreed": freed,
        }

    def moveObject(self, objectId: str, room: str) -> JsonObject:  # noqa: N802, N803
        one = self._object(objectId)
        if one["status"] != "inHouse":
            raise Refused(f"{objectId} is {one['status']}")
        if one["room"] == room:
            raise Refused(f"{objectId} is in {room} already")
        self._may_stand(one, room)
        before = one["room"]
        one["room"] = room
        return {"objectId": objectId, "from": before, "to": room, "spaceLeft": self._space(room)}

    def _may_lend(self, name: str, house: JsonObject) -> None:
        one = self._object(name)
        if one["status"] != "inHouse":
            raise Refused(f"{name} is {one['status']}")
        for other, loan in self._state["loans"].items():
            if loan["status"] == "draft" and name in loan["items"]:
                raise Refused(f"{name} is in the draft {other}")
        if _grade(one) not in ("A", "B", "C"):
            raise Refused(f"{name} has no grade that allows a loan")
        if one["sensitive"] and not house["climateCertified"]:
            raise Refused(f"{name} is sensitive and {house['name']} has no certified climate")

    def _may_stand(self, one: JsonObject, room: str) -> None:
        record = self._room(room)
        if one["sensitive"] and record["climate"] != "strict":
            raise Refused(f"{room} has no strict climate")
        if self._space(room) < 1:
            raise Refused(f"{room} has no space left")

    def _item(self, loan: str, name: str, status: str) -> tuple[JsonObject, JsonObject]:
        record = self._loan(loan)
        if record["status"] != status:
            raise Refused(f"{loan} is {record['status']}")
        self._object(name)
        if name not in record["items"]:
            raise Refused(f"{name} is not in {loan}")
        return record, record["items"][name]

    def _unpacked(self, loan: JsonObject) -> list[str]:
        if loan["status"] != "draft":
            return []
        return [name for name, item in loan["items"].items() if item["crate"] is None]

    def _active(self, borrower: str) -> list[str]:
        return [
            name
            for name, loan in self._state["loans"].items()
            if loan["borrower"] == borrower and loan["status"] in ("draft", "out")
        ]

    def _exposure(self, borrower: str) -> int:
        return sum(
            item["value"]
            for name in self._active(borrower)
            for item in self._state["loans"][name]["items"].values()
            if item["returned"] is None
        )

    def _in_room(self, room: str) -> list[str]:
        return [name for name, one in self._state["objects"].items() if one["room"] == room]

    def _space(self, room: str) -> int:
        most: int = self._room(room)["maxObjects"]
        return most - len(self._in_room(room))

    def _site_of(self, room: str) -> str | None:
        for name, site in self._state["sites"].items():
            if room in site["rooms"]:
                return str(name)
        return None

    def _room(self, room: str) -> JsonObject:
        for site in self._state["sites"].values():
            if room in site["rooms"]:
                found: JsonObject = site["rooms"][room]
                return found
        raise Refused(f"there is no room {room}")

    def _site(self, name: str) -> JsonObject:
        return self._entry("sites", name, "building")

    def _object(self, name: str) -> JsonObject:
        return self._entry("objects", name, "object")

    def _borrower(self, name: str) -> JsonObject:
        return self._entry("borrowers", name, "borrower")

    def _loan(self, name: str) -> JsonObject:
        return self._entry("loans", name, "loan")

    def _crate(self, name: str) -> JsonObject:
        return self._entry("crates", name, "crate")

    def _entry(self, where: str, name: str, what: str) -> JsonObject:
        if name not in self._state[where]:
            raise Refused(f"there is no {what} {name}")
        record: JsonObject = self._state[where][name]
        return record


def _grade(one: JsonObject) -> str | None:
    reports = one["conditionReports"]
    return reports[-1]["grade"] if reports else None


def _inspected(one: JsonObject) -> str:
    """The day of the newest report; an object that was never inspected comes before any day."""
    reports = one["conditionReports"]
    return str(reports[-1]["date"]) if reports else ""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Refused(f"{text} is no day") from error
