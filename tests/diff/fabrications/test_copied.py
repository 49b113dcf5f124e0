"""What only a tool's example has."""

from __future__ import annotations

from tests.diff.ward import TOOLS, call, found, tool, ward

EXAMPLE = {"proof": "PF-9", "faults": ["dpi 240"]}


def test_a_field_of_the_state_with_its_value_is_copied_from_no_example() -> None:
    proof = tool("get_proof", "Shows a proof.", "proof", example=EXAMPLE)
    for dots, copied in ((300, True), (240, False)):
        state = {"files": {"FI-1": {"dpi": dots, "bleed": 3}, "FI-2": {"dpi": 90, "bleed": 3}}, "faults": []}
        of = ward(state=state, tools=(*TOOLS, proof))
        said = found(call("get_proof", {"faults": ["dpi 240"]}, proof="FI-1"), of=of)
        assert (("fabrication", "example_leak", "dpi 240") in said) == copied
