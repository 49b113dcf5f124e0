"""What `diff RUN_A RUN_B` prints: two runs trial by trial."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from replaylab.cli.app import App
from replaylab.cli.extra import require
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.cli.written import write_whole
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import Run

ROLES = {"agent": "agent", "sim": "simulator", "simulator": "simulator", "verifier": "verifier"}
Matches = Sequence[tuple[str, str, str]]


def are_judged(app: App, names: Sequence[str]) -> bool:
    """Whether these are two runs with verdicts. A run in lockstep has none: there its simulators are what to compare."""
    library = library_of(app)
    return len(names) == 2 and not any(
        library.trial_run(name)[1].spec.mode.startswith("lockstep/") for name in names
    )


def compare_runs(
    app: App,
    names: Sequence[str],
    matches: Matches,
    *,
    jobs: int,
    markdown: Path | None = None,
    page: Path | None = None,
) -> int:
    """Hold the second run against the first; return the exit code: 1 where a verdict regressed."""
    require("diff RUN_A RUN_B")
    from replaylab.cli.scoring import prices_of
    from replaylab.compare.regressions import regressions
    from replaylab.report.regressions_page import regressions_page
    from replaylab.report.regressions_text import as_markdown, fields, findings, text

    library, match = library_of(app), _match(matches)
    runs = [library.trial_run(name)[1] for name in names]
    prices = prices_of(app, [one for run in runs for one in _models(run)], max(run.created for run in runs))
    with Progress("diff", err=app.output.err) as bar:
        found = regressions(
            library, *names, match=match, prices=prices, jobs=jobs, progress=bar.update_counts
        )
    written = {}
    if markdown is not None:
        written[app.cwd / markdown] = as_markdown(found).encode("utf-8", "backslashreplace")
    if page is not None:
        written[app.cwd / page] = regressions_page(found)
    for path, data in written.items():
        write_whole(path, data)
    odd = list({one.id: one for side in found for one in side.findings}.values())
    listed = [*findings(found), *odd]
    app.output.text(text(found, app.output.width))
    app.output.findings(odd)
    for path in written:
        app.output.text(f"wrote {path}")
    app.output.document(
        ok=not listed,
        run=found[0].b.run,
        findings=listed,
        written=[str(path) for path in written],
        **fields(found),
    )
    return EXIT_FINDINGS if listed else EXIT_OK


def _models(run: Run) -> list[ModelSettings]:
    spec = run.spec
    return [*spec.agents, *spec.simulators, *spec.verifiers]


def _match(given: Matches) -> dict[str, tuple[str, str]]:
    found = {}
    for role, a, b in given:
        if role not in ROLES:
            raise UsageError(
                f"there is no role {role!r} to match", fix="--match agent A B; or sim, or verifier"
            )
        if ROLES[role] in found:
            raise UsageError(f"--match names the {ROLES[role]} twice", fix="one pair of models a role")
        found[ROLES[role]] = (a, b)
    return found
