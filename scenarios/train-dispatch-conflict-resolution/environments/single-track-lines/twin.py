"""The interlocking of three single-track lines: one train a block, and a count of axles at both ends."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

HIDDEN = ("line", "sheds")


class Twin(ToolTwin):
    """The tools of the dispatcher. Rank, delays and missing axles are for the dispatcher to judge."""

    def get_line(self, line: str) -> JsonObject:
        chain = self._state["lines"][line]
        stations = [
            {
                "station": name,
                "tracks": [{"track": track, **one} for track, one in self._state["stations"][name].items()],
            }
            for name in chain[::2]
        ]
        blocks = [{"block": name, **self._state["blocks"][name]} for name in chain[1::2]]
        return {"line": line, "stations": stations, "blocks": blocks}

    def list_trains(self, line: str) -> JsonObject:
        trains = [
            {"train": name, **{key: value for key, value in one.items() if key not in HIDDEN}}
            for name, one in self._state["trains"].items()
            if one["line"] == line
        ]
        return {"line": line, "trains": trains}

    def reserve_block(self, train: str, block: str) -> JsonObject:
        one, wanted = self._train(train), self._block(block)
        following = self._ahead(one, 1)
        if following != block:
            raise Refused(f"the next block of {train} is {following or 'none'}, not {block}")
        if wanted["status"] != "free":
            raise Refused(f"{block} is {wanted['status']} ({wanted['train'] or 'no train'})")
        wanted.update(status="reserved", train=train)
        return {"block": block, "train": train, "status": "reserved"}

    def run_train(self, train: str, track: str) -> JsonObject:
        one = self._train(train)
        name, station = self._ahead(one, 1), self._ahead(one, 2)
        block = self._state["blocks"].get(name)
        if block is None or (block["status"], block["train"]) != ("reserved", train):
            raise Refused(f"{train} has no block reserved")
        place = self._state["stations"][station].get(track)
        if place is None:
            raise Refused(f"{station} has no track {track}")
        if place["train"]:
            raise Refused(f"{track} of {station} is taken by {place['train']}")
        if place["length_m"] < one["length_m"]:
            raise Refused(f"{train} is {one['length_m']} m long, and {track} has {place['length_m']} m")
        departed = max(one["time"], block["free_from"])
        arrived = _later(departed, block["minutes"][one["kind"]])
        self._state["stations"][one["place"]][one["track"]]["train"] = ""
        place["train"] = train
        left = one["axles"] - one["sheds"].get(name, 0)
        free_from = _later(arrived, self._state["headway_minutes"])
        block.update(status="uncleared", free_from=free_from, axles_in=one["axles"], axles_out=left)
        one.update(place=station, track=track, time=arrived, axles=left)
        return {
            "train": train,
            "block": name,
            "departed": departed,
            "arrived": arrived,
            "place": station,
            "track": track,
            "axles_in": block["axles_in"],
            "axles_out": left,
        }

    def clear_block(self, block: str, axles: int) -> JsonObject:
        one = self._block(block)
        if one["status"] != "uncleared":
            raise Refused(f"{block} is {one['status']}, only an uncleared block can be cleared")
        if axles != one["axles_out"]:
            raise Refused(f"{one['axles_out']} axles were counted out of {block}, not {axles}")
        one["status"] = "free"
        return {"block": block, "status": "free", "free_from": one["free_from"]}

    def close_block(self, block: str, reason: str) -> JsonObject:
        one = self._block(block)
        if one["status"] not in ("free", "uncleared"):
            raise Refused(f"{block} is {one['status']}")
        one["status"] = "closed"
        return {"block": block, "status": "closed"}

    def report_delay(self, train: str, minutes: int, cause: str) -> JsonObject:
        self._train(train).update(reported_minutes=minutes, reported_cause=cause)
        return {"train": train, "reported_minutes": minutes, "reported_cause": cause}

    def _train(self, name: str) -> JsonObject:
        train: JsonObject | None = self._state["trains"].get(name)
        if train is None:
            raise Refused(f"there is no train {name}")
        return train

    def _block(self, name: str) -> JsonObject:
        block: JsonObject | None = self._state["blocks"].get(name)
        if block is None:
            raise Refused(f"there is no block {name}")
        return block

    def _ahead(self, train: JsonObject, steps: int) -> str:
        """What lies so many places ahead of a train on its line, "" where the line has ended."""
        chain = self._state["lines"][train["line"]]
        at = chain.index(train["place"]) + (steps if train["direction"] == "up" else -steps)
        return str(chain[at]) if 0 <= at < len(chain) else ""


def _later(time: str, minutes: int) -> str:
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60:02d}:{total % 60:02d}"
