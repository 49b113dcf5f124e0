"""The hut computer of a lock keeper."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

TOLL, WATER, TURNING, LOCKING, MIDNIGHT = 550, 4, 5, 15, 24 * 60
FROM = {"up": "below", "down": "above"}
LEVEL = {"below": "lower", "above": "upper"}
TO = {"up": "upper", "down": "lower"}


class Twin(ToolTwin):
    """The tools of the hut."""

    def flight_status(self) -> JsonObject:
        locks = [
            {
                "name": one["name"],
                "chamber": one["chamber"],
                "below": len(self._queue(one["name"], "below")),
                "above": len(self._queue(one["name"], "above")),
                "passages": one["passages"],
                "out_of_order": one["out_of_order"],
            }
            for one in self._state["locks"]
        ]
        return {
            **self._state["clock"],
            "open": self._open(),
            "locks": locks,
            "passages_today": sum(one["passages"] for one in locks),
        }

    def boats_waiting(
        self,
        lock: str | None = None,
        side: str | None = None,
        longer_than: int | None = None,
        waiting_over: int | None = None,
    ) -> JsonObject:
        if lock is not None:
            self._lock(lock)
        rows = [
            {
                **{key: one[key] for key in ("boat", "length_m", "lock", "side")},
                "minutes": self._now() - _minute(one["since"]),
            }
            for one in self._state["waiting"]
            if lock in (None, one["lock"])
            and side in (None, one["side"])
            and (longer_than is None or one["length_m"] > longer_than)
        ]
        return {"boats": [one for one in rows if waiting_over is None or one["minutes"] > waiting_over]}

    def read_log(
        self,
        event: str | None = None,
        lock: str | None = None,
        since: str | None = None,
        contains: str | None = None,
        last: int | None = None,
    ) -> JsonObject:
        if lock is not None:
            self._lock(lock)
        rows = [
            one
            for one in self._state["log"]
            if event in (None, one["event"])
            and lock in (None, one["lock"])
            and (since is None or one["time"] >= since)
            and (contains is None or contains.lower() in one["text"].lower())
        ]
        return {"rows": len(rows), "log": rows if last is None else rows[-last:]}

    def pound_levels(self) -> JsonObject:
        return {
            "pounds": [
                {**one, "margin_cm": one["level_cm"] - one["least_cm"]} for one in self._state["pounds"]
            ]
        }

    def hours(self, weekday: str) -> JsonObject:
        row = self._hours(weekday)
        return {
            "weekday": weekday,
            "from": row["from"],
            "until": row["until"],
            "minutes": _minute(row["until"]) - _minute(row["from"]),
        }

    def read_board(self, contains: str | None = None) -> JsonObject:
        return {
            "notices": [
                one
                for one in self._state["notices"]
                if contains is None or contains.lower() in one["text"].lower()
            ]
        }

    def report_arrival(self, boat: str, length_m: int, lock: str, side: str) -> JsonObject:
        record = self._lock(lock)
        if not self._open():
            raise Refused("the flight is closed")
        for one in self._state["waiting"]:
            if one["boat"] == boat:
                raise Refused(f"{boat} waits at {one['lock']} already")
        if length_m > record["chamber_m"]:
            raise Refused(f"{boat} is longer than the chamber of {lock}, {record['chamber_m']} m")
        before = [one["boat"] for one in self._queue(lock, side)]
        since = self._state["clock"]["time"]
        self._state["waiting"].append(
            {"boat": boat, "length_m": length_m, "lock": lock, "side": side, "since": since}
        )
        return {"boat": boat, "lock": lock, "side": side, "since": since, "before_it": before}

    def lock_through(self, lock: str, direction: str) -> JsonObject:
        record, side = self._lock(lock), FROM[direction]
        if record["out_of_order"] is not None:
            raise Refused(f"{lock} is out of order: {record['out_of_order']}")
        if not self._open():
            raise Refused("the flight is closed")
        queue = self._queue(lock, side)
        if not queue:
            raise Refused(f"nobody waits {side} {lock}")
        self._draw(record)
        boats = _fitting(queue, record["chamber_m"])
        turned = record["chamber"] != LEVEL[side]
        self._pass(LOCKING + (TURNING if turned else 0))
        record["chamber"] = TO[direction]
        record["passages"] += 1
        self._state["waiting"] = [one for one in self._state["waiting"] if one["boat"] not in boats]
        self._state["tolls"]["coins"] += len(boats)
        self._state["tolls"]["cents"] += TOLL * len(boats)
        self._note("passage", lock, f"{', '.join(boats)} {direction}.")
        return {
            "lock": lock,
            "direction": direction,
            "boats": boats,
            "turned_first": turned,
            "done_at": self._state["clock"]["time"],
            "left_waiting": len(queue) - len(boats),
            "paid_cents": TOLL * len(boats),
            "passages": record["passages"],
        }

    def set_lock_state(self, lock: str, reason: str | None) -> JsonObject:
        record = self._lock(lock)
        if reason is None and record["out_of_order"] is None:
            raise Refused(f"{lock} is not out of order")
        record["out_of_order"] = reason
        if reason is None:
            self._note("repaired", lock, "Works again.")
        else:
            self._note("fault", lock, reason)
        waiting = sum(one["lock"] == lock for one in self._state["waiting"])
        return {"lock": lock, "out_of_order": reason, "waiting": waiting}

    def write_log(self, text: str, lock: str | None = None) -> JsonObject:
        if lock is not None:
            self._lock(lock)
        return {**self._note("remark", lock, text), "rows_today": len(self._state["log"])}

    def change_board(self, action: str, text: str) -> JsonObject:
        board = self._state["notices"]
        hanging = [one for one in board if one["text"] == text]
        if action == "put_up":
            if hanging:
                raise Refused("that notice hangs there already")
            board.append({"put_up": self._state["clock"]["time"], "text": text})
        elif not hanging:
            raise Refused("no notice has exactly that text")
        else:
            board.remove(hanging[0])
        return {"action": action, "text": text, "on_the_board": len(board)}

    def wait(self, minutes: int) -> JsonObject:
        self._pass(minutes)
        return {**self._state["clock"], "open": self._open()}

    def _draw(self, lock: JsonObject) -> None:
        """Takes the water of one locking from the pound above and gives it to the pound below."""
        for pound in self._state["pounds"]:
            if pound["name"] == lock["upper_water"]:
                pound["level_cm"] -= WATER
            if pound["name"] == lock["lower_water"]:
                pound["level_cm"] += WATER
            if not pound["least_cm"] <= pound["level_cm"] <= pound["most_cm"]:
                raise Refused(f"{pound['name']} would stand at {pound['level_cm']} cm")

    def _pass(self, minutes: int) -> None:
        after = self._now() + minutes
        if after >= MIDNIGHT:
            raise Refused("that goes beyond midnight")
        self._state["clock"]["time"] = f"{after // 60:02}:{after % 60:02}"

    def _note(self, event: str, lock: str | None, text: str) -> JsonObject:
        row = {"time": self._state["clock"]["time"], "event": event, "lock": lock, "text": text}
        self._state["log"].append(row)
        return row

    def _now(self) -> int:
        return _minute(self._state["clock"]["time"])

    def _open(self) -> bool:
        row = self._hours(self._state["clock"]["weekday"])
        return _minute(row["from"]) <= self._now() < _minute(row["until"])

    def _hours(self, weekday: str) -> JsonObject:
        row: JsonObject = next(one for one in self._state["opening_hours"] if weekday in one["days"])
        return row

    def _queue(self, lock: str, side: str) -> list[JsonObject]:
        return [one for one in self._state["waiting"] if one["lock"] == lock and one["side"] == side]

    def _lock(self, name: str) -> JsonObject:
        for one in self._state["locks"]:
            if one["name"] == name:
                found: JsonObject = one
                return found
        raise Refused(f"there is no lock {name}")


def _fitting(queue: list[JsonObject], chamber: int) -> list[str]:
    """The boats from the head of the queue that fit, a metre between two."""
    boats: list[str] = []
    used = 0
    for one in queue:
        used += one["length_m"] + (1 if boats else 0)
        if used > chamber:
            break
        boats.append(one["boat"])
    return boats


def _minute(time: str) -> int:
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)
