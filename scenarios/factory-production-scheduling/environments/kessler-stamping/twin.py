"""The planning board of a factory: slots in machine calendars, with changeovers that depend on the sequence."""

from __future__ import annotations

from datetime import datetime, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

JOB_FIELDS = ("customer", "priority", "due", "confirmed")
SLOT_FIELDS = ("job", "operation", "family", "setup_minutes", "start", "end")
DAY = len("2025-05-05")


class Twin(ToolTwin):
    """The tools of the board. All times are UTC in one format, so their texts order like the moments."""

    def list_jobs(self) -> JsonObject:
        return {
            "jobs": [
                {"job": name, **{key: one[key] for key in JOB_FIELDS}, "status": self._status(name)}
                for name, one in self._state["jobs"].items()
            ]
        }

    def get_job(self, job: str) -> JsonObject:
        record = self._job(job)
        status = self._status(job)
        operations = []
        for one in record["operations"]:
            slot = self._slot(job, one["operation"]) or {}
            operations.append({**one, **{key: slot.get(key) for key in ("machine", "start", "end")}})
        finish = None if status == "open" else operations[-1]["end"]
        return {
            "job": job,
            **{key: record[key] for key in JOB_FIELDS},
            "status": status,
            "finish": finish,
            "late": None if finish is None else finish > record["due"],
            "operations": operations,
        }

    def get_machine(self, machine: str) -> JsonObject:
        record = self._machine(machine)
        slots = sorted((one for one in self._state["slots"] if one["machine"] == machine), key=_start)
        shown = [
            {**{key: one[key] for key in SLOT_FIELDS}, "released": self._job(one["job"])["released"]}
            for one in slots
        ]
        return {"machine": machine, **record, "slots": shown}

    def get_changeovers(self, kind: str) -> JsonObject:
        return {"kind": kind, "changeovers": self._state["changeovers"][kind]}

    def plan_operation(self, job: str, operation: int, machine: str, start: str) -> JsonObject:
        one = self._movable(job, operation)
        place = self._machine(machine)
        if self._slot(job, operation):
            raise Refused(f"operation {operation} of {job} is already planned")
        if machine not in one["machines"]:
            raise Refused(f"{machine} can't do operation {operation} of {job}")
        self._check_previous(job, operation, start)
        last = self._last(machine, start)
        if last and start < last["end"]:
            raise Refused(f"{machine} is taken until {last['end']}")
        setup = self._changeover(place["kind"], last["family"] if last else place["base"], one["family"])
        end = _later(start, setup + one["minutes"])
        if not any(window["from"] <= start and end <= window["to"] for window in place["windows"]):
            raise Refused(f"{machine} does not work from {start} to {end} without a break")
        slot = {"job": job, "operation": operation, "machine": machine, "family": one["family"]}
        self._state["slots"].append({**slot, "setup_minutes": setup, "start": start, "end": end})
        del slot["family"]
        return {**slot, "setup_minutes": setup, "start": start, "end": end}

    def unplan_operation(self, job: str, operation: int) -> JsonObject:
        self._movable(job, operation)
        slot = self._slot(job, operation)
        if slot is None:
            raise Refused(f"operation {operation} of {job} is not planned")
        if any(one["job"] == job and one["operation"] > operation for one in self._state["slots"]):
            raise Refused(f"a later operation of {job} is planned")
        if self._last(slot["machine"], slot["start"]) != slot:
            raise Refused(f"{slot['machine']} has a later slot on that day")
        self._state["slots"].remove(slot)
        return {"job": job, "operation": operation, "machine": None}

    def release_job(self, job: str) -> JsonObject:
        record = self._job(job)
        if self._status(job) != "planned":
            raise Refused(f"{job} is {self._status(job)}, and only a planned job can be released")
        record["released"] = True
        return {"job": job, "status": "released"}

    def _job(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["jobs"].get(name)
        if record is None:
            raise Refused(f"there is no job {name}")
        return record

    def _machine(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["machines"].get(name)
        if record is None:
            raise Refused(f"there is no machine {name}")
        return record

    def _status(self, name: str) -> str:
        record = self._job(name)
        if record["released"]:
            return "released"
        planned = all(self._slot(name, one["operation"]) for one in record["operations"])
        return "planned" if planned else "open"

    def _movable(self, name: str, operation: int) -> JsonObject:
        record = self._job(name)
        one: JsonObject | None = next(
            (one for one in record["operations"] if one["operation"] == operation), None
        )
        if one is None:
            raise Refused(f"{name} has no operation {operation}")
        if record["released"]:
            raise Refused(f"{name} is released and can't be moved")
        return one

    def _slot(self, name: str, operation: int) -> JsonObject | None:
        slots = self._state["slots"]
        return next((one for one in slots if (one["job"], one["operation"]) == (name, operation)), None)

    def _check_previous(self, name: str, operation: int, start: str) -> None:
        before = [one["operation"] for one in self._job(name)["operations"] if one["operation"] < operation]
        slot = self._slot(name, before[-1]) if before else None
        if before and slot is None:
            raise Refused(f"operation {before[-1]} of {name} is not planned yet")
        if slot and start < slot["end"]:
            raise Refused(f"operation {before[-1]} of {name} ends at {slot['end']}")

    def _last(self, machine: str, moment: str) -> JsonObject | None:
        """The last slot of a machine on the day of that moment."""
        there = [one for one in self._state["slots"] if one["machine"] == machine]
        return max((one for one in there if one["start"][:DAY] == moment[:DAY]), key=_start, default=None)

    def _changeover(self, kind: str, before: str, after: str) -> int:
        rows = self._state["changeovers"][kind]
        return next((one["minutes"] for one in rows if (one["from"], one["to"]) == (before, after)), 0)


def _start(slot: JsonObject) -> str:
    return str(slot["start"])


def _later(moment: str, minutes: int) -> str:
    try:
        then = datetime.fromisoformat(moment) + timedelta(minutes=minutes)
    except ValueError as error:
        raise Refused(f"{moment} is no moment") from error
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")
