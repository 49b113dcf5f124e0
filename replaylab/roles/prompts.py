"""The prompts of the roles: files beside this module, each with a version.

A changed text needs a new version; a test pins the digest of every version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from replaylab.canonical import digest_bytes
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.cassette import Prompt
from replaylab.schema.fault import FaultPlan

VERSIONS = {
    "agent": "agent/1",
    "agent_json": "agent_json/3",
    "contract_judge": "contract_judge/1",
    "generator": "generator/1",
    "generator_again": "generator_again/1",
    "generator_checks": "generator_checks/1",
    "generator_diagnosis": "generator_diagnosis/1",
    "generator_environment": "generator_environment/1",
    "generator_guided": "generator_guided/1",
    "generator_more_subtopics": "generator_more_subtopics/1",
    "generator_plan": "generator_plan/1",
    "generator_reference": "generator_reference/1",
    "generator_repair": "generator_repair/1",
    "generator_rubric": "generator_rubric/1",
    "generator_state": "generator_state/1",
    "generator_subtopics": "generator_subtopics/1",
    "generator_task": "generator_task/1",
    "generator_tools": "generator_tools/1",
    "generator_twin": "generator_twin/1",
    "simulator": "simulator/1",
    "simulator_again": "simulator_again/1",
    "simulator_faults": "simulator_faults/1",
    "verifier": "verifier/1",
    "verifier_again": "verifier_again/1",
}

# Takes part only where a fault plan asks the simulator for faults, so that other runs are what they were before it.
FAULTS = "simulator_faults"
# Takes part in no trial: it asks whether an observation keeps to its contract.
CONTRACT_JUDGE = "contract_judge"
# Take part in no trial: they ask for parts of tasks.
GENERATOR = frozenset(name for name in VERSIONS if name.partition("_")[0] == "generator")

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@cache
def prompt(name: str) -> Prompt:
    """The prompt of that name. Its digest covers the text without surrounding whitespace."""
    if name not in VERSIONS:
        raise UsageError(
            f"no prompt is named {name!r}",
            closest=closest(name, VERSIONS),
            fix=f"one of {', '.join(VERSIONS)}",
        )
    file = resources.files("replaylab.roles") / "prompts" / f"{name}.md"
    text = file.read_text(encoding="utf-8").strip()
    return Prompt(version=VERSIONS[name], digest=digest_bytes(text.encode("utf-8")), text=text)


def all_prompts(*, faults: bool = False) -> dict[str, Prompt]:
    """Every prompt of a trial by name, for the header of its cassette; `faults`: that for a simulator that is asked for
    faults too.
    """
    left_out = GENERATOR | ({CONTRACT_JUDGE} if faults else {CONTRACT_JUDGE, FAULTS})
    return {name: prompt(name) for name in sorted(VERSIONS) if name not in left_out}


def prompts_of(plans: Iterable[FaultPlan]) -> dict[str, Prompt]:
    """The prompts of a run under these fault plans, by name."""
    return all_prompts(faults=any(plan.mode == "prompt" for plan in plans))


def render(name: str, **values: str) -> str:
    """The prompt with its placeholders filled in one pass: what is inserted is not looked at again.

    A paragraph whose placeholder has an empty value is left out.
    """
    paragraphs = []
    for paragraph in prompt(name).text.split("\n\n"):
        names = _PLACEHOLDER.findall(paragraph)
        if all(values[key] for key in names):
            paragraphs.append(_PLACEHOLDER.sub(lambda match: values[match[1]], paragraph))
    return "\n\n".join(paragraphs)
