"""The desk of a community radio station."""

from __future__ import annotations

from datetime import date, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LATE, TRIES, WAIT, QUEUE = "22:00", 3, 7, 6
LEAST, MOST = 5, 500


def day(text: str) -> date:
    """A date; what is none is refused."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text} is not a date") from None


def later(clock: str, minutes: int) -> str:
    """The time of day so many minutes later."""
    total = int(clock[:2]) * 60 + int(clock[3:]) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"


class Twin(ToolTwin):
    """The tools of the desk."""

    def schedule(
        self,
        day: str = "",
        host: str = "",
        genre: str = "",
        free: bool | None = None,
        starts_from: str = "",
    ) -> JsonObject:
        if host:
            self._host(host)
        rows = []
        for name, slot in self._state["slots"].items():
            show = self._state["shows"].get(slot["show"], {"host": None, "genre": None})
            if (
                day in ("", slot["day"])
                and host in ("", show["host"])
                and genre in ("", show["genre"])
                and free in (None, slot["show"] is None)
                and slot["start"] >= starts_from
            ):
                rows.append({"slot": name, **slot, "host": show["host"]})
        return {"slots": rows}

    def host_card(self, host: str) -> JsonObject:
        one = self._host(host)
        shows = [
            {"show": name, "title": show["title"]}
            for name, show in self._state["shows"].items()
            if show["host"] == host
        ]
        slots = self._slots_of(host)
        booked = self._minutes(slots)
        left = one["most_minutes"] - booked
        return {"host": host, **one, "shows": shows, "slots": slots, "booked": booked, "left": left}

    def find_tracks(
        self,
        text: str = "",
        explicit: bool | None = None,
        max_minutes: int | None = None,
        playable: bool | None = None,
    ) -> JsonObject:
        rows = [
            {"track": name, **{key: one[key] for key in ("title", "artist", "minutes")}}
            for name, one in self._state["tracks"].items()
            if any(text.lower() in one[key].lower() for key in ("title", "artist"))
            and explicit in (None, one["explicit"])
            and (max_minutes is None or one["minutes"] <= max_minutes)
            and playable in (None, not self._hindrance(name))
        ]
        return {"found": len(rows), "tracks": rows}

    def find_pledges(
        self,
        show: str = "",
        host: str = "",
        state: str = "",
        min_amount: int = 0,
        due_before: str = "",
        overdue: bool | None = None,
    ) -> JsonObject:
        if show:
            self._show(show)
        if host:
            self._host(host)
        if due_before:
            day(due_before)
        rows = [
            {key: one[key] for key in ("pledge", "giver", "show", "amount", "due", "state")}
            for one in self._state["pledges"]
            if show in ("", one["show"])
            and host in ("", self._show(one["show"])["host"])
            and state in ("", one["state"])
            and one["amount"] >= min_amount
            and (not due_before or one["due"] < due_before)
            and overdue in (None, one["state"] == "promised" and one["due"] < self._state["date"])
        ]
        return {"total": sum(row["amount"] for row in rows), "pledges": rows}

    def drive_status(self, reached: bool | None = None) -> JsonObject:
        rows = []
        for name, show in self._state["shows"].items():
            paid, promised = self._raised(name, "paid"), self._raised(name, "promised")
            short = max(0, show["goal"] - paid)
            if reached in (None, short == 0):
                sums = {"goal": show["goal"], "paid": paid, "promised": promised, "short": short}
                rows.append({"show": name, **sums})
        sums = {key: sum(row[key] for row in rows) for key in ("paid", "promised")}
        return {**sums, "shows": rows}

    def playout(self) -> JsonObject:
        at, rows = self._state["now"], []
        for name in self._state["queue"]:
            rows.append({"track": name, "starts": at})
            at = later(at, self._runs(name))
        return {"now": self._state["now"], "queue": rows, "ends": at, "log": self._state["log"]}

    def record_pledge(self, giver: str, show: str, amount: int, due: str) -> JsonObject:
        self._show(show)
        if not LEAST <= amount <= MOST:
            raise Refused(f"{amount} is not between {LEAST} and {MOST}")
        if day(due) <= day(self._state["date"]):
            raise Refused(f"{due} is not after today, {self._state['date']}")
        name = f"P-{self._state['next_pledge']}"
        self._state["next_pledge"] += 1
        facts = {"pledge": name, "giver": giver, "show": show, "amount": amount, "due": due}
        self._state["pledges"].append({**facts, "state": "promised", "tries": 0})
        return {"pledge": name, "state": "promised", "due": due}

    def settle_pledge(self, pledge: str, result: str) -> JsonObject:
        one = next((one for one in self._state["pledges"] if one["pledge"] == pledge), None)
        if one is None:
            raise Refused(f"there is no pledge {pledge}")
        if one["state"] != "promised":
            raise Refused(f"{pledge} is {one['state']} already")
        if result == "paid":
            one["state"] = "paid"
        else:
            one["tries"] += 1
            if one["tries"] >= TRIES:
                one["state"] = "failed"
            else:
                one["due"] = str(day(self._state["date"]) + timedelta(days=WAIT))
        facts = {key: one[key] for key in ("state", "tries", "due")}
        return {"pledge": pledge, "result": result, **facts}

    def assign_show(self, slot: str, show: str) -> JsonObject:
        one, host = self._slot(slot), self._show(show)["host"]
        self._fits(slot, show, self._slots_of(host))
        one["show"] = show
        return {"slot": slot, "show": show, "host": host, "booked": self._minutes(self._slots_of(host))}

    def move_show(self, slot: str, to: str) -> JsonObject:
        one, goal = self._slot(slot), self._slot(to)
        show = one["show"]
        if show is None:
            raise Refused(f"{slot} is free; there is no show to move")
        others = [name for name in self._slots_of(self._show(show)["host"]) if name != slot]
        self._fits(to, show, others)
        one["show"], goal["show"] = None, show
        return {"show": show, "freed": slot, "slot": to}

    def queue_track(self, track: str, position: int | None = None) -> JsonObject:
        queue = self._state["queue"]
        self._track(track)
        hindrance = self._hindrance(track)
        if hindrance:
            raise Refused(hindrance)
        if len(queue) >= QUEUE:
            raise Refused(f"the queue holds {QUEUE} tracks already")
        place = len(queue) + 1 if position is None else position
        if place > len(queue) + 1:
            raise Refused(f"position {place} would leave a gap; the queue holds {len(queue)}")
        queue.insert(place - 1, track)
        return {"track": track, "position": place, "queue": queue}

    def run_next(self) -> JsonObject:
        if not self._state["queue"]:
            raise Refused("the queue is empty")
        track, at = self._state["queue"].pop(0), self._state["now"]
        result = "played" if self._track(track)["file"] == "ok" else "failed"
        self._state["log"].append({"at": at, "track": track, "result": result})
        self._state["now"] = later(at, self._runs(track))
        return {"at": at, "track": track, "result": result, "now": self._state["now"]}

    def _fits(self, name: str, handle: str, others: list[str]) -> None:
        slot, show = self._slot(name), self._show(handle)
        host = self._host(show["host"])
        if slot["show"] is not None:
            raise Refused(f"{name} is taken by {slot['show']}")
        if show["minutes"] > slot["minutes"]:
            raise Refused(f"{handle} takes {show['minutes']} minutes; {name} has {slot['minutes']}")
        if show["late_only"] and slot["start"] < LATE:
            raise Refused(f"{handle} must not start before {LATE}; {name} starts at {slot['start']}")
        if not host["certified"]:
            raise Refused(f"{show['host']} is not certified")
        minutes = self._minutes(others) + slot["minutes"]
        if minutes > host["most_minutes"]:
            most = host["most_minutes"]
            raise Refused(f"{show['host']} would have {minutes} minutes a week; at most {most} are allowed")

    def _hindrance(self, track: str) -> str:
        one = self._track(track)
        if one["file"] != "ok":
            return f"the file of {track} is missing"
        if track in self._state["queue"]:
            return f"{track} is in the queue already"
        if one["explicit"] and self._state["now"] < LATE:
            return f"{track} is explicit, and it is {self._state['now']}; not before {LATE}"
        return ""

    def _runs(self, track: str) -> int:
        one = self._track(track)
        return int(one["minutes"]) if one["file"] == "ok" else 0

    def _raised(self, show: str, state: str) -> int:
        rows = (one for one in self._state["pledges"] if one["show"] == show and one["state"] == state)
        return sum(one["amount"] for one in rows)

    def _slots_of(self, host: str) -> list[str]:
        return [
            name
            for name, slot in self._state["slots"].items()
            if slot["show"] is not None and self._show(slot["show"])["host"] == host
        ]

    def _minutes(self, slots: list[str]) -> int:
        return sum(self._slot(name)["minutes"] for name in slots)

    def _host(self, name: str) -> JsonObject:
        return self._of("hosts", "host", name)

    def _show(self, name: str) -> JsonObject:
        return self._of("shows", "show", name)

    def _slot(self, name: str) -> JsonObject:
        return self._of("slots", "slot", name)

    def _track(self, name: str) -> JsonObject:
        return self._of("tracks", "track", name)

    def _of(self, field: str, word: str, name: str) -> JsonObject:
        if name not in self._state[field]:
            raise Refused(f"there is no {word} {name}")
        record: JsonObject = self._state[field][name]
        return record
