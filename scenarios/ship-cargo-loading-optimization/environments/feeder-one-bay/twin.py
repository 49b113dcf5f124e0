"""The loading desk of a container vessel: four stacks, a scale, two ballast tanks and the list that follows from them."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

PAPERS = ("port", "cargo", "booking", "declared_t", "verified_t")


class Twin(ToolTwin):
    """The tools of the desk. It refuses what crane and pump can't do; a bad stowage is not its business."""

    def get_bay_plan(self) -> JsonObject:
        rows = [self._row_shown(name) for name in self._state["rows"]]
        return {"rows": rows, "rotation": self._state["rotation"], "signed": self._state["signed"]}

    def list_quay(self) -> JsonObject:
        boxes = sorted(self._state["containers"].items())
        quay = [
            {"container": name, **{key: box[key] for key in PAPERS}}
            for name, box in boxes
            if box["place"] == "quay"
        ]
        return {"quay": quay}

    def get_container(self, container: str) -> JsonObject:
        return {
            "container": container,
            **{key: value for key, value in self._box(container).items() if key != "scale_t"},
        }

    def get_stability(self) -> JsonObject:
        limits, tanks = self._state["limits"], self._state["ballast"]
        return {
            **self._list(),
            "work_list_tm": limits["work_list_tm"],
            "sail_list_tm": limits["sail_list_tm"],
            "port_t": tanks["port_t"],
            "starboard_t": tanks["starboard_t"],
            "tank_arm_m": tanks["arm_m"],
            "crane_moves": self._state["crane_moves"],
        }

    def weigh_container(self, container: str) -> JsonObject:
        box = self._on_quay(container)
        box["verified_t"] = box["scale_t"]
        return {"container": container, "declared_t": box["declared_t"], "verified_t": box["verified_t"]}

    def amend_manifest(self, container: str, weight_t: float) -> JsonObject:
        box = self._box(container)
        if box["verified_t"] is None:
            raise Refused(f"{container} has not been weighed")
        if weight_t != box["verified_t"]:
            raise Refused(f"the scale showed {box['verified_t']} t for {container}, not {weight_t} t")
        if box["manifest_t"] == weight_t:
            raise Refused(f"the manifest says {weight_t} t for {container} already")
        box["manifest_t"] = box["verified_t"]
        return {"container": container, "manifest_t": box["manifest_t"]}

    def lift_container(self, container: str) -> JsonObject:
        self._unsigned()
        box = self._box(container)
        row = box["place"]
        if row == "quay":
            raise Refused(f"{container} is not aboard")
        stack = self._state["rows"][row]["stack"]
        if stack[-1] != container:
            raise Refused(f"{container} is not at the top of {row}: {stack[-1]} is")
        stack.pop()
        box["place"] = "quay"
        self._state["crane_moves"] += 1
        return {
            "container": container,
            "from_row": row,
            **self._list(),
            "crane_moves": self._state["crane_moves"],
        }

    def load_container(self, container: str, row: str) -> JsonObject:
        self._unsigned()
        box = self._on_quay(container)
        if row not in self._state["rows"]:
            raise Refused(f"there is no row {row}")
        if box["verified_t"] is None:
            raise Refused(f"{container} has no verified weight")
        stack, limits = self._state["rows"][row]["stack"], self._state["limits"]
        if len(stack) == limits["tiers"]:
            raise Refused(f"{row} has {limits['tiers']} tiers already")
        if self._weight(row) + box["verified_t"] > limits["stack_t"]:
            raise Refused(f"{row} would weigh more than {limits['stack_t']} t")
        stack.append(container)
        box["place"] = row
        self._state["crane_moves"] += 1
        place = {"container": container, "row": row, "tier": len(stack), "stack_t": self._weight(row)}
        return {**place, **self._list(), "crane_moves": self._state["crane_moves"]}

    def pump_ballast(self, to: str, tonnes: int) -> JsonObject:
        self._unsigned()
        tanks = self._state["ballast"]
        source, target = ("starboard_t", "port_t") if to == "port" else ("port_t", "starboard_t")
        if tanks[source] < tonnes:
            raise Refused(f"the other tank holds only {tanks[source]} t")
        tanks[source] -= tonnes
        tanks[target] += tonnes
        return {"port_t": tanks["port_t"], "starboard_t": tanks["starboard_t"], **self._list()}

    def sign_stowage(self, list_tm: float) -> JsonObject:
        self._unsigned()
        here, now = self._state["rotation"][0], self._list()["list_tm"]
        left = [
            name
            for name, box in self._state["containers"].items()
            if box["place"] != "quay" and box["port"] == here
        ]
        if left:
            raise Refused(f"{left[0]} is for {here} and still aboard")
        if abs(now) > self._state["limits"]["sail_list_tm"]:
            raise Refused(
                f"the list is {now} tm, and she sails with {self._state['limits']['sail_list_tm']} tm at most"
            )
        if list_tm != now:
            raise Refused(f"the list is {now} tm, not {list_tm} tm")
        self._state["signed"] = True
        return {"signed": True, "list_tm": now}

    def _row_shown(self, row: str) -> JsonObject:
        entry = self._state["rows"][row]
        boxes = [(name, self._state["containers"][name]) for name in entry["stack"]]
        stack = [
            {
                "tier": tier,
                "container": name,
                "port": box["port"],
                "cargo": box["cargo"],
                "weight_t": box["verified_t"],
            }
            for tier, (name, box) in enumerate(boxes, start=1)
        ]
        return {
            "row": row,
            "side": entry["side"],
            "arm_m": entry["arm_m"],
            "stack": stack,
            "stack_t": self._weight(row),
        }

    def _weight(self, row: str) -> float:
        return sum(
            self._state["containers"][name]["verified_t"] for name in self._state["rows"][row]["stack"]
        )

    def _list(self) -> JsonObject:
        tanks = self._state["ballast"]
        moment = sum(self._weight(row) * entry["arm_m"] for row, entry in self._state["rows"].items())
        moment += (tanks["starboard_t"] - tanks["port_t"]) * tanks["arm_m"]
        side = "starboard" if moment > 0 else "port" if moment < 0 else "upright"
        return {"list_tm": moment, "side": side}

    def _box(self, name: str) -> JsonObject:
        box: JsonObject | None = self._state["containers"].get(name)
        if box is None:
            raise Refused(f"there is no container {name}")
        return box

    def _on_quay(self, name: str) -> JsonObject:
        box = self._box(name)
        if box["place"] != "quay":
            raise Refused(f"{name} is in {box['place']}, not on the quay")
        return box

    def _unsigned(self) -> None:
        if self._state["signed"]:
            raise Refused("the stowage is signed, nothing can be moved")
