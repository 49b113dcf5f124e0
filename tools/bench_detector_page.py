"""The pages of `bench_detector`: the report on the shipped scenarios, and what is shown of a folder's."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.schema.base import JsonObject
from tools.score_detector import wilson


def page(result: JsonObject) -> str:
    """The report as Markdown."""
    faithful = result["faithful"]
    lines = [
        "# The contract check, measured with the violating twins",
        "",
        "Every shipped task was recorded with several scripted agents: clean with each violating twin, and under E0 to E3 with",
        "the faithful one. All players are programs and not LLMs. What a twin seeds is labelled in the cassette, where the check",
        "does not look; `python -m tools.bench_detector` makes this page. Seeded violations have forms that a program can make,",
        "so these figures say nothing of how real models err.",
        "",
        f"{result['trials']} trials, {result['calls']} different calls (what was said after the same history counts once).",
        f"The faithful twin: {faithful['violations']} violations in {faithful['calls']} calls.",
        "",
        "Missed targets on the held-out scenarios: " + ("; ".join(result["missed_targets"]) or "none") + ".",
    ]
    return "\n".join([*lines, *_parts(result), ""])


def worlds_page(result: JsonObject) -> str:
    """What is shown of a folder's scenarios: the figures, and by shape where the check spoke of another kind as well."""
    faithful = result["faithful"]
    said = f"{faithful['violations']} violations in {faithful['calls']} calls of the faithful twin."
    lines = [*_parts(result), "", "| said by a violating twin | calls | false alarms |", "|---|---|---|"]
    lines += [f"| {name} | {row['calls']} | {row['false']} |" for name, row in result["false_alarms"].items()]
    return "\n".join([*lines, "", said, ""])


def _parts(result: JsonObject) -> Iterator[str]:
    for part, figures in result["parts"].items():
        yield from ("", f"## {part.capitalize()} scenarios", "")
        yield f"{figures['scenarios']} scenarios, {figures['calls']} calls, {figures['seeded_calls']} of them with something seeded."
        for level in ("call", "entity"):
            yield from (
                "",
                f"| by {level} | precision | 95 % | recall | 95 % | F1 | right | false | missed |",
            )
            yield "|---|---|---|---|---|---|---|---|---|"
            yield from (_row(kind, row) for kind, row in figures[level].items())
        yield from ("", "| could be checked for | calls | checked |", "|---|---|---|")
        for kind, row in figures["coverage"].items():
            yield f"| {kind} | {row['calls']} | {row['checked']} |"
        yield from ("", "| seeded shape | calls | found | 95 % |", "|---|---|---|---|")
        for name, row in figures["shapes"].items():
            interval = _range(wilson(row["found"], row["seeded"]))
            yield f"| {name} | {row['seeded']} | {row['found']} | {interval} |"


def _row(kind: str, row: JsonObject) -> str:
    cells = [
        kind,
        row["precision"],
        _range(row["precision_interval"]),
        row["recall"],
        _range(row["recall_interval"]),
        row["f1"],
        row["tp"],
        row["fp"],
        row["fn"],
    ]
    return "| " + " | ".join("-" if cell is None else str(cell) for cell in cells) + " |"


def _range(interval: list[float] | None) -> str:
    return f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "-"
