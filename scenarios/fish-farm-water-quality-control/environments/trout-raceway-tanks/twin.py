"""Tanks of a trout farm: doses that act once they are mixed in, ammonia that the pH turns toxic, shared aerators."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

DISSOLVED_AFTER = 20  # minutes of mixing
LARGEST_DOSE = 40  # g per cubic metre that fish bear unmixed
# For each product: mg/l alkalinity for 1 g per cubic metre, and pH for each mg/l gained.
EFFECT = {"bicarbonate": (0.6, 0.01), "carbonate": (0.9, 0.04)}
# Toxic share of the ammonia from a pH on.
TOXIC = ((7.8, 0.05), (7.4, 0.02), (7.0, 0.008), (0.0, 0.003))


class Twin(ToolTwin):
    """The tools of the farm. No value is out of bounds to it; what harms the fish shows in a test."""

    def get_rules(self) -> JsonObject:
        return {"rules": self._state["rules"]}

    def list_tanks(self) -> JsonObject:
        shown = ("volume_m3", "fish_kg", "oxygen_mg_l", "feeding", "aerator")
        rows = self._state["tanks"].items()
        return {"tanks": [{"tank": name, **{key: one[key] for key in shown}} for name, one in rows]}

    def test_water(self, tank: str) -> JsonObject:
        record = self._tank(tank)
        share = next(share for least, share in TOXIC if record["ph"] >= least)
        shown = ("volume_m3", "alkalinity_mg_l", "ph", "ammonia_mg_l", "oxygen_mg_l", "stress_events")
        return {
            "tank": tank,
            **{key: record[key] for key in shown},
            "toxic_ammonia_mg_l": round(record["ammonia_mg_l"] * share, 4),
            "settled": not record["unmixed"],
        }

    def get_stores(self) -> JsonObject:
        return {**self._state["stores"], "source": self._state["source"]}

    def set_feeding(self, tank: str, on: bool) -> JsonObject:
        record = self._tank(tank)
        if record["feeding"] == on:
            raise Refused(f"feeding of {tank} is {'on' if on else 'off'} already")
        record["feeding"] = on
        return {"tank": tank, "feeding": on}

    def exchange_water(self, tank: str, percent: float) -> JsonObject:
        record, stores, share = self._tank(tank), self._state["stores"], percent / 100
        if record["unmixed"]:
            raise Refused(f"something in {tank} is not mixed in yet and would be washed out")
        needed = round(record["volume_m3"] * share, 2)
        if needed > stores["exchange_left_m3"]:
            raise Refused(f"{needed} cubic metres are more than the {stores['exchange_left_m3']} left today")
        stores["exchange_left_m3"] = round(stores["exchange_left_m3"] - needed, 2)
        for key, value in self._state["source"].items():
            record[key] = round(record[key] * (1 - share) + value * share, 3)
        return {"tank": tank, "percent": percent, "exchange_left_m3": stores["exchange_left_m3"]}

    def dose_product(self, tank: str, product: str, grams: float) -> JsonObject:
        record, stores, name = self._tank(tank), self._state["stores"], f"{product}_g"
        if grams > stores[name]:
            raise Refused(f"only {stores[name]} g of {product} are left")
        stores[name] = round(stores[name] - grams, 2)
        record["unmixed"].append({"product": product, "grams": grams})
        if sum(one["grams"] for one in record["unmixed"]) > LARGEST_DOSE * record["volume_m3"]:
            record["stress_events"] += 1
        return {"tank": tank, "product": product, "grams": grams, "left_g": stores[name]}

    def mix_tank(self, tank: str, minutes: int) -> JsonObject:
        record = self._tank(tank)
        change = minutes * (-0.02 if record["aerator"] == "none" else 0.01)
        record["oxygen_mg_l"] = round(min(max(9, record["oxygen_mg_l"]), record["oxygen_mg_l"] + change), 2)
        if minutes >= DISSOLVED_AFTER:
            for one in record["unmixed"]:
                self._dissolve(record, one["product"], one["grams"])
            record["unmixed"] = []
        return {"tank": tank, "minutes": minutes, "oxygen_mg_l": record["oxygen_mg_l"]}

    def move_aerator(self, aerator: str, tank: str) -> JsonObject:
        record = self._tank(tank)
        holders = [name for name, one in self._state["tanks"].items() if one["aerator"] == aerator]
        if not holders or aerator == "none":
            raise Refused(f"there is no aerator {aerator}")
        if record["aerator"] != "none":
            raise Refused(f"{tank} has {record['aerator']} already")
        self._state["tanks"][holders[0]]["aerator"] = "none"
        record["aerator"] = aerator
        return {"aerator": aerator, "tank": tank, "came_from": holders[0]}

    def _dissolve(self, record: JsonObject, product: str, grams: float) -> None:
        alkalinity, ph = EFFECT[product]
        gained = grams / record["volume_m3"] * alkalinity * self._state["strength"][product]
        record["alkalinity_mg_l"] = round(record["alkalinity_mg_l"] + gained, 2)
        record["ph"] = round(record["ph"] + gained * ph, 2)

    def _tank(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["tanks"].get(name)
        if record is None:
            raise Refused(f"there is no tank {name}")
        return record
