"""The catalogue and hold desk of a library: every edition has a queue, and queues move up."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the desk. Which edition is meant, and who is old enough, is for the agent to find out."""

    def search_catalogue(self, text: str, kind: str = "") -> JsonObject:
        words = text.casefold().split()
        shown = ("title", "author", "year", "format", "statement")
        found = [
            {"edition": name, **{key: one[key] for key in shown}}
            for name, one in self._state["editions"].items()
            if all(word in f"{one['title']} {one['author']}".casefold() for word in words)
            and kind in ("", one["format"])
        ]
        if not words or not found:
            raise Refused(f"nothing in the catalogue matches {text!r}")
        return {"editions": found}

    def get_edition(self, edition: str) -> JsonObject:
        record = self._edition(edition)
        dates = {"today": self._state["today"], "loan_days": self._state["loan_days"]}
        return {"edition": edition, **dates, **record}

    def get_patron(self, patron: str) -> JsonObject:
        limits = {"max_holds": self._state["max_holds"], "fine_limit": self._state["fine_limit"]}
        record = self._patron(patron)
        return {
            "patron": patron,
            "today": self._state["today"],
            **record,
            **limits,
            "holds": self._holds(patron),
        }

    def place_hold(self, patron: str, edition: str, branch: str) -> JsonObject:
        reader, record = self._patron(patron), self._edition(edition)
        if reader["fines"] > self._state["fine_limit"]:
            raise Refused(f"{patron} owes {reader['fines']:.2f}, more than {self._state['fine_limit']:.2f}")
        if any(one["patron"] == patron for one in record["queue"]):
            raise Refused(f"{patron} already waits for {edition}")
        if edition in reader["loans"]:
            raise Refused(f"{patron} has {edition} on loan")
        if len(self._holds(patron)) >= self._state["max_holds"]:
            raise Refused(f"{patron} already has {self._state['max_holds']} holds")
        status = "ready" if len(record["queue"]) < record["on_shelf"] else "waiting"
        record["queue"].append({"patron": patron, "branch": branch, "status": status})
        position = len(record["queue"])
        return {
            "patron": patron,
            "edition": edition,
            "branch": branch,
            "position": position,
            "status": status,
        }

    def cancel_hold(self, patron: str, edition: str) -> JsonObject:
        self._edition(edition)["queue"].remove(self._hold(patron, edition))
        return {"patron": patron, "edition": edition, "cancelled": True}

    def move_pickup(self, patron: str, edition: str, branch: str) -> JsonObject:
        hold = self._hold(patron, edition)
        if hold["status"] != "waiting":
            raise Refused(f"the hold of {patron} on {edition} is {hold['status']}")
        if hold["branch"] == branch:
            raise Refused(f"the hold of {patron} on {edition} already goes to {branch}")
        hold["branch"] = branch
        return {"patron": patron, "edition": edition, "branch": branch}

    def _edition(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["editions"].get(name)
        if record is None:
            raise Refused(f"there is no edition {name}")
        return record

    def _patron(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["patrons"].get(name)
        if record is None:
            raise Refused(f"there is no reader {name}")
        return record

    def _hold(self, patron: str, edition: str) -> JsonObject:
        self._patron(patron)
        queue: list[JsonObject] = self._edition(edition)["queue"]
        for one in queue:
            if one["patron"] == patron:
                return one
        raise Refused(f"{patron} does not wait for {edition}")

    def _holds(self, patron: str) -> list[JsonObject]:
        """The holds of a reader, in the order of the editions."""
        return [
            {
                "edition": name,
                "title": record["title"],
                "position": place,
                "status": one["status"],
                "branch": one["branch"],
            }
            for name, record in self._state["editions"].items()
            for place, one in enumerate(record["queue"], start=1)
            if one["patron"] == patron
        ]
