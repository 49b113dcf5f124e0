"""The roster service of a fire brigade."""

from __future__ import annotations

from collections.abc import Iterable

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

HOURS, MOST_HOURS, PAGE = 12, 36, 5
LEADER = "Q-LD"


class Twin(ToolTwin):
    """The tools of the service."""

    def list_members(
        self,
        station_id: str | None = None,
        district: str | None = None,
        qualification_id: str | None = None,
        rank: str | None = None,
        fit: bool | None = None,
        free_on: str | None = None,
        include_removed: bool = False,
        **page: int,
    ) -> JsonObject:
        busy = {
            name
            for one in self._state["shifts"]
            if one["date"] == free_on and one["cancelled_at"] is None
            for name in one["member_ids"]
        }
        rows = [
            {**{key: one[key] for key in ("member_id", "name", "station_id", "rank")}, "fit": self._fit(one)}
            for one in self._state["members"]
            if (include_removed or one["removed_at"] is None)
            and station_id in (None, one["station_id"])
            and district in (None, self._station(one["station_id"])["district"])
            and (qualification_id is None or qualification_id in one["qualification_ids"])
            and rank in (None, one["rank"])
            and fit in (None, self._fit(one))
            and (free_on is None or one["member_id"] not in busy)
        ]
        return _page(rows, **page)

    def get_member(self, member_id: str) -> JsonObject:
        one = self._member(member_id)
        upcoming = self._upcoming(member_id)
        return {
            **one,
            "fit": self._fit(one),
            "upcoming_shift_ids": [shift["shift_id"] for shift in upcoming],
            "upcoming_hours": HOURS * len(upcoming),
        }

    def list_vehicles(
        self,
        station_id: str | None = None,
        qualification_id: str | None = None,
        on_road: bool | None = None,
        include_retired: bool = False,
        **page: int,
    ) -> JsonObject:
        rows = [
            {
                **{key: one[key] for key in ("vehicle_id", "call_sign", "station_id", "seats", "needs")},
                "on_road": _on_road(one),
            }
            for one in self._state["vehicles"]
            if (include_retired or one["retired_at"] is None)
            and station_id in (None, one["station_id"])
            and (qualification_id is None or qualification_id in one["needs"])
            and on_road in (None, _on_road(one))
        ]
        return _page(rows, **page)

    def list_shifts(
        self,
        station_id: str | None = None,
        member_id: str | None = None,
        qualification_id: str | None = None,
        date_from: str | None = None,
        date_to: str | None = None,
        complete: bool | None = None,
        include_cancelled: bool = False,
        **page: int,
    ) -> JsonObject:
        rows = [
            {
                **{key: one[key] for key in ("shift_id", "date", "slot", "vehicle_id", "lead_id")},
                "complete": self._complete(one),
            }
            for one in self._state["shifts"]
            if (include_cancelled or one["cancelled_at"] is None)
            and station_id in (None, self._vehicle(one["vehicle_id"])["station_id"])
            and (member_id is None or member_id in one["member_ids"])
            and (qualification_id is None or qualification_id in self._vehicle(one["vehicle_id"])["needs"])
            and (date_from is None or one["date"] >= date_from)
            and (date_to is None or one["date"] <= date_to)
            and complete in (None, self._complete(one))
        ]
        return _page(rows, **page)

    def get_shift(self, shift_id: str) -> JsonObject:
        one = self._shift(shift_id)
        return {
            **one,
            "open_seats": self._open_seats(one),
            "missing": self._missing(one),
            "complete": self._complete(one),
        }

    def list_swaps(
        self,
        status: str | None = None,
        station_id: str | None = None,
        member_id: str | None = None,
        **page: int,
    ) -> JsonObject:
        rows = [
            _shown(one)
            for one in self._state["swaps"]
            if status in (None, one["status"])
            and station_id in (None, self._vehicle(self._shift(one["shift_id"])["vehicle_id"])["station_id"])
            and member_id in (None, one["from_member_id"], one["to_member_id"])
        ]
        return _page(rows, **page)

    def coverage(self, date: str) -> JsonObject:
        rows = []
        for station in self._state["stations"]:
            shifts = [
                one
                for one in self._state["shifts"]
                if one["date"] == date
                and one["cancelled_at"] is None
                and self._vehicle(one["vehicle_id"])["station_id"] == station["station_id"]
            ]
            rows.append(
                {
                    "station_id": station["station_id"],
                    "shifts": [one["shift_id"] for one in shifts],
                    "complete": sum(self._complete(one) for one in shifts),
                    "open_seats": sum(self._open_seats(one) for one in shifts),
                }
            )
        return {"date": date, "stations": rows}

    def assign_member(self, shift_id: str, member_id: str, as_lead: bool = False) -> JsonObject:
        shift, member = self._changing(shift_id), self._member(member_id)
        vehicle = self._vehicle(shift["vehicle_id"])
        if not _on_road(vehicle):
            raise Refused(f"{vehicle['vehicle_id']} is not on the road")
        if self._open_seats(shift) < 1:
            raise Refused(f"{shift_id} has no open seat")
        self._may_join(member, shift)
        if as_lead and not self._may_lead(member, vehicle):
            raise Refused(f"{member_id} can't lead {vehicle['vehicle_id']}")
        shift["member_ids"].append(member_id)
        if as_lead:
            shift["lead_id"] = member_id
        return {
            "shift_id": shift_id,
            "member_ids": shift["member_ids"],
            "lead_id": shift["lead_id"],
            "open_seats": self._open_seats(shift),
            "complete": self._complete(shift),
        }

    def unassign_member(self, shift_id: str, member_id: str) -> JsonObject:
        shift = self._changing(shift_id)
        self._member(member_id)
        if member_id not in shift["member_ids"]:
            raise Refused(f"{member_id} is not on {shift_id}")
        _take_off(shift, member_id)
        voided = self._void(
            one
            for one in self._state["swaps"]
            if one["shift_id"] == shift_id and one["from_member_id"] == member_id
        )
        return {
            "shift_id": shift_id,
            "member_ids": shift["member_ids"],
            "lead_id": shift["lead_id"],
            "open_seats": self._open_seats(shift),
            "voided": voided,
        }

    def request_swap(self, shift_id: str, from_member_id: str, to_member_id: str) -> JsonObject:
        shift = self._changing(shift_id)
        self._member(from_member_id)
        if from_member_id not in shift["member_ids"]:
            raise Refused(f"{from_member_id} is not on {shift_id}")
        if to_member_id in shift["member_ids"]:
            raise Refused(f"{to_member_id} is on {shift_id} already")
        if self._member(to_member_id)["removed_at"] is not None:
            raise Refused(f"{to_member_id} has left the brigade")
        for one in self._state["swaps"]:
            if (one["shift_id"], one["from_member_id"], one["status"]) == (shift_id, from_member_id, "open"):
                raise Refused(f"{one['swap_id']} is open for that seat")
        swap = {
            "swap_id": f"SW-{int(self._state['swaps'][-1]['swap_id'][3:]) + 1}",
            "shift_id": shift_id,
            "from_member_id": from_member_id,
            "to_member_id": to_member_id,
            "status": "open",
            "decided_on": None,
        }
        self._state["swaps"].append(swap)
        return _shown(swap)

    def decide_swap(self, swap_id: str, accept: bool) -> JsonObject:
        swap = self._swap(swap_id)
        if swap["status"] != "open":
            raise Refused(f"{swap_id} is {swap['status']}")
        shift = self._shift(swap["shift_id"])
        if accept:
            self._changing(swap["shift_id"])
            old, new = swap["from_member_id"], swap["to_member_id"]
            self._may_join(self._member(new), shift)
            shift["member_ids"][shift["member_ids"].index(old)] = new
            if shift["lead_id"] == old:
                shift["lead_id"] = None
        swap.update(status="accepted" if accept else "refused", decided_on=self._state["today"])
        return {
            "swap_id": swap_id,
            "status": swap["status"],
            "decided_on": swap["decided_on"],
            "shift_id": swap["shift_id"],
            "member_ids": shift["member_ids"],
            "lead_id": shift["lead_id"],
        }

    def remove_member(self, member_id: str) -> JsonObject:
        one = self._member(member_id)
        if one["removed_at"] is not None:
            raise Refused(f"{member_id} left on {one['removed_at']}")
        one["removed_at"] = self._state["today"]
        left = self._upcoming(member_id)
        for shift in left:
            _take_off(shift, member_id)
        voided = self._void(
            swap
            for swap in self._state["swaps"]
            if member_id in (swap["from_member_id"], swap["to_member_id"])
        )
        return {
            "member_id": member_id,
            "removed_at": one["removed_at"],
            "left_shifts": [shift["shift_id"] for shift in left],
            "voided": voided,
        }

    def _may_join(self, member: JsonObject, shift: JsonObject) -> None:
        name = member["member_id"]
        if member["removed_at"] is not None:
            raise Refused(f"{name} has left the brigade")
        if member["medical_until"] < shift["date"]:
            raise Refused(f"the medical of {name} ends on {member['medical_until']}")
        for other in self._state["shifts"]:
            if (
                other["date"] == shift["date"]
                and other["cancelled_at"] is None
                and name in other["member_ids"]
            ):
                raise Refused(f"{name} is on {other['shift_id']} that day")
        if HOURS * (len(self._upcoming(name)) + 1) > MOST_HOURS:
            raise Refused(f"{name} would have more than {MOST_HOURS} hours")

    def _changing(self, shift_id: str) -> JsonObject:
        shift = self._shift(shift_id)
        if shift["cancelled_at"] is not None:
            raise Refused(f"{shift_id} is cancelled")
        if shift["date"] < self._state["today"]:
            raise Refused(f"{shift_id} is past")
        return shift

    def _void(self, swaps: Iterable[JsonObject]) -> list[str]:
        voided = []
        for one in swaps:
            if one["status"] == "open":
                one.update(status="void", decided_on=self._state["today"])
                voided.append(one["swap_id"])
        return voided

    def _upcoming(self, member_id: str) -> list[JsonObject]:
        return [
            one
            for one in self._state["shifts"]
            if one["date"] >= self._state["today"]
            and one["cancelled_at"] is None
            and member_id in one["member_ids"]
        ]

    def _fit(self, member: JsonObject) -> bool:
        return member["removed_at"] is None and bool(member["medical_until"] >= self._state["today"])

    @staticmethod
    def _may_lead(member: JsonObject, vehicle: JsonObject) -> bool:
        if LEADER in member["qualification_ids"]:
            return True
        return LEADER not in vehicle["needs"] and member["rank"] != "trainee"

    def _open_seats(self, shift: JsonObject) -> int:
        seats: int = self._vehicle(shift["vehicle_id"])["seats"]
        return seats - len(shift["member_ids"])

    def _missing(self, shift: JsonObject) -> list[str]:
        held = {one for name in shift["member_ids"] for one in self._member(name)["qualification_ids"]}
        return [one for one in self._vehicle(shift["vehicle_id"])["needs"] if one not in held]

    def _complete(self, shift: JsonObject) -> bool:
        return (
            shift["cancelled_at"] is None
            and _on_road(self._vehicle(shift["vehicle_id"]))
            and self._open_seats(shift) == 0
            and not self._missing(shift)
            and shift["lead_id"] is not None
        )

    def _station(self, name: str) -> JsonObject:
        return self._row("stations", "station_id", name)

    def _member(self, name: str) -> JsonObject:
        return self._row("members", "member_id", name)

    def _vehicle(self, name: str) -> JsonObject:
        return self._row("vehicles", "vehicle_id", name)

    def _shift(self, name: str) -> JsonObject:
        return self._row("shifts", "shift_id", name)

    def _swap(self, name: str) -> JsonObject:
        return self._row("swaps", "swap_id", name)

    def _row(self, where: str, key: str, name: str) -> JsonObject:
        for one in self._state[where]:
            if one[key] == name:
                found: JsonObject = one
                return found
        raise Refused(f"{where}: {name} not found")


def _page(rows: list[JsonObject], limit: int = PAGE, offset: int = 0) -> JsonObject:
    end = offset + limit
    return {
        "total": len(rows),
        "items": rows[offset:end],
        "next_offset": end if end < len(rows) else None,
    }


def _shown(swap: JsonObject) -> JsonObject:
    return {key: swap[key] for key in ("swap_id", "shift_id", "from_member_id", "to_member_id", "status")}


def _on_road(vehicle: JsonObject) -> bool:
    return not vehicle["in_workshop"] and vehicle["retired_at"] is None


def _take_off(shift: JsonObject, member_id: str) -> None:
    shift["member_ids"].remove(member_id)
    if shift["lead_id"] == member_id:
        shift["lead_id"] = None
