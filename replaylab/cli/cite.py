"""`replaylab cite`: what a paper says of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE

if TYPE_CHECKING:
    from replaylab.interop.cite import Facts


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab cite", "the newest run"),
        ("replaylab cite study --bibtex >> paper.bib", "the entry alone"),
        ("replaylab cite study --cff > CITATION.cff", "the file alone; then fill in the authors"),
    ),
)
@click.argument("run", required=False)
@click.option("--bibtex", "form", flag_value="bibtex", help="Print the BibTeX entry and nothing else.")
@click.option("--cff", "form", flag_value="cff", help="Print CITATION.cff and nothing else.")
@json_option
@pass_app
def command(app: App, run: str | None, form: str | None) -> None:
    """Print what a paper says of a run: run id, counts, who played, dates, provenance, and BibTeX and CITATION.cff.

    Who recorded a run stands in no recording: the authors are for you to fill in.
    """
    from replaylab.cli.reading import library_of
    from replaylab.interop import cite

    library = library_of(app)
    facts = cite.facts_of(library, *library.run(run))
    out = app.output
    if form is not None:
        out.text((cite.bibtex(facts) if form == "bibtex" else cite.cff(facts)).rstrip("\n"))
    else:
        _show(app, facts)
    out.document(ok=True, run=facts.run_id, **cite.cite_json(facts))


def _show(app: App, facts: Facts) -> None:
    from replaylab.cli.gone import gone_lines
    from replaylab.cli.recorded import ledger_line, programs
    from replaylab.interop import cite
    from replaylab.report.notice import evidence_notices
    from replaylab.schema.model import played_by

    out, run = app.output, facts.run
    out.text(f"run {run.name}  {facts.run_id}")
    out.text(f"outcome    {run.outcome}")
    out.text(f"ledger     {ledger_line(facts.counts, trials=run.holds_trials)}")
    out.text(f"calls      {facts.interactions}")
    out.text(f"{facts.evidence:<10} {facts.first[:19]} to {facts.last[:19]} UTC; sealed {run.created[:19]}")
    out.text(f"provenance {', '.join(f'{number} lanes {how}' for how, number in facts.lanes.items())}")
    for role, one in facts.players:
        answered = facts.answered_by.get(one.alias, [])
        named = f", answered as {', '.join(answered)}" if answered and answered != [one.model] else ""
        out.text(f"{role:<10} {one.alias}: {one.model} ({played_by(one)}){named}")
    for line in (*evidence_notices(facts.evidence), *programs(run), *gone_lines(facts.gone)):
        out.prose(line)
    for name, text in (("BibTeX", cite.bibtex(facts)), ("CITATION.cff", cite.cff(facts))):
        out.text()
        out.text(f"{name}, with the authors to fill in:")
        out.text()
        out.text(text.rstrip("\n"))
