"""The filters of a page of findings. They stay hidden until the script runs: without it nothing would be behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from replaylab.report.diff_finding import Found
from replaylab.report.diff_words import DONE
from replaylab.report.markup import Html, attr, join

_FIELDS: tuple[tuple[str, str, Callable[[Found], str]], ...] = (
    ("kind", "Kind", lambda found: found.one.kind),
    ("subkind", "Sub-kind", lambda found: found.one.subkind),
    ("tool", "Tool", lambda found: found.one.tool),
    ("simulator", "Simulator", lambda found: found.simulator),
    ("task", "Task", lambda found: found.trial.task),
    ("against", "Against", lambda found: found.one.against),
)
_LEAST = ("0.5", "0.7", "0.9")


def filter_html(found: Sequence[Found]) -> Html:
    """A form with a list for each thing that findings differ in, and counts in it."""
    if not found:
        return Html("")
    fields = [_select(name, label, Counter(map(of, found))) for name, label, of in _FIELDS]
    least = join(f'<option value="{one}">{one} and more</option>' for one in _LEAST)
    fields.append(
        Html(
            f'<label>Confidence <select name="confidence"><option value="">any</option>{least}</select></label>'
        )
    )
    boxes = (
        '<label class="box"><input type="checkbox" name="depends"> the task\'s checks depend on it</label>'
        '<label class="box"><input type="checkbox" name="keys" checked> keys j and k go to the next and the one before</label>'
    )
    find = '<label>Find <input type="search" name="find"></label>'
    reset = '<button type="reset">Show all</button>'
    return Html(
        '<form id="filter" hidden autocomplete="off" aria-label="Filter findings">'
        f'<details open><summary>Filter</summary><div class="fields">{join(fields)}{find}{boxes}{reset}</div></details></form>'
    )


def _select(name: str, label: str, counts: Counter[str]) -> Html:
    options = join(
        f'<option value="{attr(value)}">{attr(_said(name, value))} ({count:,})</option>'
        for value, count in sorted(counts.items())
    )
    return Html(
        f'<label>{label} <select name="{name}"><option value="">all</option>{options}</select></label>'
    )


def _said(name: str, value: str) -> str:
    if name == "kind" and value in DONE:
        return f"{value}: {DONE[value]}"
    return value or "not said"
