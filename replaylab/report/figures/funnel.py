"""The funnel of a synthesis: how many candidate tasks were left after each stage."""

from __future__ import annotations

from replaylab.report.figures.value import BLUE, GREY, Axis, Group, Look, Plot, Point, Row, Rows, Section
from replaylab.synthesis.funnel import Funnel
from replaylab.synthesis.history import History

_KEPT, _LEFT = Look(BLUE, bar=True), Look(GREY, bar=True)


def plot(history: History, found: Funnel) -> Plot:
    """Bars of what was left, one a stage, with what was lost there and how many had been repaired."""
    rows = [("planned", found.planned, "", "")]
    rows += [(one.name, one.left, str(one.lost or ""), str(one.repaired or "")) for one in found.stages]
    groups = tuple(
        Group(
            name,
            (
                Row(
                    Point(float(left)),
                    _KEPT if number == len(rows) - 1 else _LEFT,
                    right=(str(left), lost, mended),
                ),
            ),
        )
        for number, (name, left, lost, mended) in enumerate(rows)
    )
    programs = sorted(alias for alias, player in history.players.items() if player == "program")
    notices = (f"Played by programs, not LLMs: {', '.join(programs)}.",) if programs else ()
    caption = (
        f"Synthesis {history.name}. A candidate is one level of one instance of a scenario.",
        "Lost: dropped at that stage. Repaired: of those left, mended at least once.",
    )
    return Plot(
        "Candidate tasks left after each stage",
        _alt(found),
        Rows((Section("", groups),), _axis(found.planned), ("left", "lost", "repaired")),
        caption,
        notices,
    )


def _axis(planned: int) -> Axis:
    step = next(one for one in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if one * 5 >= planned)
    top = max(step, -(-planned // step) * step)
    return Axis("candidate tasks", 0, top, tuple(float(n) for n in range(0, top + 1, step)))


def _alt(found: Funnel) -> str:
    told = ", ".join(f"{one.left} {one.name}" for one in found.stages)
    return f"Bars of how many of {found.planned} planned candidate tasks were left: {told}."
