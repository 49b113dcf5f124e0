"""The sub-kinds of violations: what each says, in a line. A rule gives no other; a test reads the rules for it."""

from __future__ import annotations

from replaylab.schema.violation import ViolationKind

SUBKINDS: dict[ViolationKind, dict[str, str]] = {
    "fabrication": {
        "attribute_universe": "a free place that the state does not name, where the instruction says that all are taken",
        "counter_mismatch": "more or fewer things than a number of the contract or of the answer itself says",
        "example_leak": "a thing that stands in a tool's example alone",
        "id_replaced": "a thing of the state under an id that is not its own",
        "near_duplicate": "an id that differs from one of the state in a character or two",
        "sibling": "an id made like one of the state's, with one part or a number changed",
        "unknown": "a thing that neither the state nor an earlier call has",
        "unknown_reference": "a known thing refers to one that neither the state nor an earlier call has",
    },
    "omission": {
        "all_missing": "a list is empty, and something has to be in it",
        "denial": "a thing that is there is said not to be",
        "missing": "a list leaves out a thing that has to be in it",
    },
    "rule_invention": {
        "mutated_threshold": "a refusal in the contract's words, with a number that stands nowhere",
        "no_reason": "a refusal without a reason, where nothing forbids what was asked",
        "no_rule": "a refusal by a rule that no sentence of the contract gives",
        "outside_licence": "a refusal by how things stand, which neither state nor contract bears out",
        "ungrounded_input": "a refusal by a time or a span that nobody can know",
        "untrue_reason": "a refusal by a reason that does not hold",
    },
    "contradiction": {
        "changed_value": "another value than the state, the contract or an earlier call has, without a cause",
        "example_leak": "the value of a tool's example instead of the known one",
        "other_entity": "an answer for another thing than was asked for",
        "stale": "what was before a call that was accepted, or before an answer that showed it changed",
    },
    "possible_fault": {
        "stale": "what was shown before; faults were asked for in the prompt",
        "transport": "a failure of the line, or a refusal where faults were asked for in the prompt",
        "truncated": "something is left out; faults were asked for in the prompt",
    },
}
