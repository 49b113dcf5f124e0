"""How a capture ends: sealed, summed up, and turned into an exit code."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from replaylab.cli.app import App
from replaylab.cli.capturing import Staged, Wanted
from replaylab.cli.keys import secrets_of
from replaylab.cli.output import counted
from replaylab.engine.captured.miss import Miss
from replaylab.errors import EXIT_DIVERGED, EXIT_OK, StoreError
from replaylab.report.commands import word
from replaylab.schema.finding import Finding

if TYPE_CHECKING:
    from replaylab.capture.app import Proxy

_SHOWN = 10


@dataclass(frozen=True)
class Ending:
    """`exit_code` is the program's, None where there was none. `sealed` says whether a new run was made."""

    wanted: Wanted
    exit_code: int | None
    sealed: bool
    run_id: str
    counts: dict[str, int]
    misses: tuple[Miss, ...] = ()
    missed: int = 0
    unplayed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    explained: bool = True

    @classmethod
    def of(cls, stage: Staged, wanted: Wanted, exit_code: int | None) -> Ending:
        """Seal what was recorded. Raises the first error that no client could be told of, once that is done."""
        session, offline = stage.session, wanted.mode == "offline"
        try:
            sealed = session.seal()
        finally:
            # A disk that was full while recording is mostly full now, and what is lost is worse than what is not sealed.
            if stage.app.defects:
                raise _first(stage.app)
        return cls(
            wanted,
            exit_code,
            sealed is not None,
            session.run_id,
            asdict(stage.app.counts),
            tuple(session.misses),
            session.missed,
            tuple(session.unplayed()) if offline else (),
            tuple(session.warnings()),
            session.misses_kept,
        )

    @property
    def code(self) -> int:
        """What diverged wins over what the program made of it. Who only asks a proxy may leave some of it unplayed."""
        if self.missed or (self.unplayed and self.exit_code is not None):
            return EXIT_DIVERGED
        return self.exit_code or EXIT_OK

    @property
    def findings(self) -> list[Finding]:
        """What was asked and is not recorded, and what is recorded and was not asked."""
        missed = [
            Finding.of(
                "miss",
                f"{one.endpoint} {one.method} {one.path} {one.key}",
                one.message,
                expected=one.expected,
                observed=one.observed,
                pointer=one.pointer,
                closest=one.nearest,
            )
            for one in self.misses
        ]
        said = "this is recorded, and the program did not ask for it"
        return missed + [Finding.of("unplayed", path, said) for path in self.unplayed]

    def show(self, app: App) -> None:
        """The summary on stderr, the document on stdout if it is wanted."""
        for line in self._lines(app):
            app.output.say(f"replaylab: {line}")
        app.output.document(
            ok=self.code == EXIT_OK,
            run=self.wanted.run,
            findings=self.findings,
            mode=self.wanted.mode,
            run_id=self.run_id or None,
            exit_code=self.code,
            program_exit_code=self.exit_code,
            requests=dict(self.counts),
            missed=self.missed,
            unplayed=len(self.unplayed),
            warnings=list(self.warnings),
        )

    def _lines(self, app: App) -> list[str]:
        lines = [self._what_happened()]
        if self.sealed:
            again = f"--run {word(self.wanted.run)} --offline"
            tail = f" -- {self._program(app)}" if self.wanted.command else ""
            said = app.again(f"{'capture' if tail else 'proxy'} {again}{tail}")
            lines.append(f"play it with: {said}")
        elif not sum(self.counts.values()):
            lines.append("does the program read one of the variables that `replaylab capture --help` lists?")
        lines += [f"warning: {one}" for one in self.warnings]
        if self.misses:
            lines += [f"miss: {one.message}" for one in self.misses[:_SHOWN]]
            lines += [f"… and {self.missed - _SHOWN} more misses"] if self.missed > _SHOWN else []
        if self.misses and self.explained:
            lines.append(f"what differs, and a rule for it: {app.again(f'explain-miss {self.wanted.run}')}")
        if self.unplayed:
            lines += [f"not asked for: {one}" for one in self.unplayed[:_SHOWN]]
            left = len(self.unplayed) - _SHOWN
            lines += [f"… and {left} more recordings that were not asked for"] if left > 0 else []
        return lines

    def _program(self, app: App) -> str:
        """The program's command line as it may stand in a log: without the keys in it."""
        from replaylab.wire.redact import Redactor

        redactor = Redactor(secrets_of(app))
        return " ".join(word(redactor.text(one)) for one in self.wanted.command)

    def _what_happened(self) -> str:
        counts = self.counts
        parts = [
            (counts["live"], "recorded"),
            (counts["played"], "played"),
            (self.missed, "missed"),
            (counts["refused"], "refused"),
        ]
        done = ", ".join(f"{number} {what}" for number, what in parts if number)
        broken = f" ({counts['broken']} of them broke off)" if counts["broken"] else ""
        if not done:
            return "no request reached the proxy"
        left = f", {counted(len(self.unplayed), 'recording')} not asked for" if self.unplayed else ""
        run = f"; run {self.wanted.run}" + (f" ({self.run_id[:12]})" if self.run_id else "")
        return f"requests: {done}{broken}{left}{run}"


def _first(proxy: Proxy) -> Exception:
    """The first defect. Of answers that were lost, how many; what was recorded before them is kept."""
    if not proxy.lost or proxy.lost[0] is not proxy.defects[0]:
        return proxy.defects[0]
    first = proxy.lost[0]
    many = counted(len(proxy.lost), "answer")
    return StoreError(
        f"{many} went to the program and could not be recorded: {first.what}",
        where=first.where,
        fix="mend that, and run the command with --extend: it plays what was recorded before and asks for the rest",
    )
