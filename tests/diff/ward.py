"""A ward of our own: small enough to hold in mind, with one of everything that a contract can say."""

from __future__ import annotations

from typing import Any

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import read_refusal
from replaylab.diff.calls.world import Step, World
from replaylab.diff.check import Observed, check_observations
from replaylab.diff.contract.contract import Contract
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.observed import groups, read_observation
from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Environment, Rubric, Task, Tool
from replaylab.schema.violation import CheckReport

STATE: dict[str, Any] = {
    "patients": {
        "P-101": {"name": "Ada Ekberg", "bed": "B1", "nurse": "N-7", "condition": "stable", "pulse": 72},
        "P-102": {"name": "Ivo Brandt", "bed": "B2", "nurse": "N-8", "condition": "critical", "pulse": 118},
        "P-205": {"name": "Mira Holt", "bed": "B4", "nurse": "N-7", "condition": "stable", "pulse": 64},
    },
    "nurses": [
        {"nurse_id": "N-7", "name": "Sela Moor", "shift": "day", "on_duty": True},
        {"nurse_id": "N-8", "name": "Tarn Weld", "shift": "night", "on_duty": False},
    ],
    "wards": ["North Ward", "South Ward"],
    "stock": {"Saline-500": 40, "Gauze-10": 12},
    "ward_status": {"beds_occupied": 3, "max_visitors": 2, "oxygen_level": 94.5, "alarm_enabled": False},
    "alerts": [],
}
DESCRIPTION: dict[str, Any] = {
    "patients": "Mapping of patient IDs to their records.",
    "nurses": "All nurses of the ward.",
    "stock": "Units in stock by item code.",
    "alerts": "Alerts that were raised. Empty at first.",
}
PROMPT = """You simulate a hospital ward.

- A patient in critical condition must not be moved without a doctor's order.
- If the bed is taken, return {"error": "Bed is already occupied"}.
- A transfer needs a free bed on the other ward.
- Behave realistically, as a ward would.
"""


def tool(name: str, about: str, *names: str, effect: str = "read", example: Any = None, **more: Any) -> Tool:
    properties = {one: {"type": "string"} for one in names} | more
    parameters = {"type": "object", "properties": properties, "required": list(names)}
    return Tool.model_validate(
        {
            "name": name,
            "description": about,
            "parameters": parameters,
            "effect": effect,
            "has_example": example is not None,
            "example_output": example,
        }
    )


TOOLS = (
    tool(
        "list_patients", "Lists all patients.", example={"patients": [{"patient_id": "P-900", "bed": "B9"}]}
    ),
    tool("find_patients", "Lists patients.", condition={"type": "string"}, min_pulse={"type": "number"}),
    tool("get_patient", "Shows one patient.", "patient_id"),
    tool("list_nurses", "Lists all nurses.", shift={"type": "string", "enum": ["day", "night", "late"]}),
    tool("list_available_nurses", "Lists the nurses who can be called."),
    tool("get_stock", "Shows the stock.", example={"stock": {"Saline-500": 40}}),
    tool("get_beds", "Shows the beds."),
    tool("get_status", "Shows how the ward stands.", example={"beds_occupied": 7, "oxygen_level": 94.5}),
    tool("list_alerts", "Lists the alerts."),
    tool("scan_ward", "Scans for patients."),
    tool("move_patient", "Moves a patient to another bed.", "patient_id", "bed", effect="write"),
    tool("discharge_patient", "Discharges a patient.", "patient_id", effect="write"),
    tool("admit_patient", "Admits a patient.", "name", effect="write"),
    tool("order_stock", "Orders an item.", "item", effect="write", count={"type": "integer", "maximum": 50}),
    tool("advance_time", "Lets an hour pass.", effect="write"),
)


def ward(**more: Any) -> Environment:
    """The ward; `more` replaces parts of it, and `state` adds to or replaces parts of its state."""
    state = {**STATE, **more.pop("state", {})}
    given = {"system_prompt": PROMPT, "tools": TOOLS, "state_description": DESCRIPTION, **more}
    return Environment(id="ward", initial_state=state, **given)


def task(instruction: str = "Look after the ward.", rubric: str = "Somebody looked.", *checks: Any) -> Task:
    return Task(
        id="t",
        scenario="s",
        environment="ward",
        instruction=instruction,
        rubric=Rubric(text=rubric, checks=checks),
    )


def call(tool: str, observation: Any, **arguments: Any) -> Observed:
    return Observed(tool, arguments, observation)


def check(
    *calls: Observed,
    of: Environment | None = None,
    asked: Task | None = None,
    faults: FaultPlan | None = None,
) -> CheckReport:
    return check_observations(of or ward(), asked, calls, faults=faults)


def found(
    *calls: Observed, of: Environment | None = None, asked: Task | None = None
) -> list[tuple[str, ...]]:
    """Kind, sub-kind and entity of every violation of the last call."""
    report = check(*calls, of=of, asked=asked)
    last = len(calls) - 1
    return [(one.kind, one.subkind, one.entity) for one in report.findings if one.call == last]


def look(one: Observed, *before: Observed, of: Environment | None = None) -> Look:
    """A call under inspection, after others that were all accepted."""
    contract, world = Contract(of or ward()), World()
    for number, step in enumerate((*before, one)):
        tool = contract.environment.tool(step.tool)
        assert tool is not None
        seen = read_observation(step.observation)
        this = Step(number, tool, step.arguments, seen, refused=read_refusal(tool, seen) is not None)
        if number == len(before):
            return Look(contract, world, this)
        world.add(this)
    raise AssertionError


def reason(one: Observed, *before: Observed, of: Environment | None = None) -> Reason:
    """The reason of a refused call."""
    seen = look(one, *before, of=of)
    refusal = read_refusal(seen.step.tool, seen.step.observation)
    assert refusal is not None
    return Reason(seen, refusal)


def shapes(node: Any) -> list[tuple[str, str, str]]:
    """Pointer, name and shape of each group of an observation."""
    return [(one.pointer, one.name, one.shape) for one in groups(node)]


def patients(*ids: str, **more: Any) -> dict[str, Any]:
    """A list of patients as a faithful simulator shows it, all of them where none is named."""
    rows = [
        {"patient_id": one, **{key: STATE["patients"][one][key] for key in ("name", "bed", "condition")}}
        for one in ids or STATE["patients"]
    ]
    return {"patients": rows, **more}
