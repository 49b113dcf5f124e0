"""Every failure that replaylab raises, and the exit code it ends a command with.

    ReplaylabError
    ├── UsageError        2   wrong options, a bad input file, an unknown name
    │   └── LimitReached  1   --max-cost or --max-calls was hit; what was recorded is kept
    ├── DivergenceError   3   a replay asked something else than was recorded
    ├── StoreError        4   a file of the library is damaged, too new, missing, or can't be written
    │   └── CassetteGone  1   a cassette was purged or redacted: a tombstone stands in its place
    ├── OfflineError      5   something wanted the network while offline
    └── CallFailed        -   a model gave no usable answer; it ends a trial as `error`, never as `fail`

Findings (differences, violations) are values and not exceptions. None of these derives from an exception of the
HTTP client or the SDK, because the SDK would retry it.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_DIVERGED = 3
EXIT_STORE = 4
EXIT_OFFLINE = 5


class ReplaylabError(Exception):
    """What happened, where, what comes closest, and what to do about it."""

    exit_code = EXIT_USAGE

    def __init__(self, what: str, *, where: str = "", closest: str = "", fix: str = "") -> None:
        self.what, self.where, self.closest, self.fix = what, where, closest, fix
        super().__init__(what, where, closest, fix)

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  where:   {self.where}"] if self.where else []
        lines += [f"  closest: {self.closest}"] if self.closest else []
        lines += [f"  to do:   {self.fix}"] if self.fix else []
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only parts would be lost on the way back from a worker process.
        return _rebuild, (type(self), self.what, self.where, self.closest, self.fix, self.__dict__)


def _rebuild(
    kind: type[ReplaylabError], what: str, where: str, closest: str, fix: str, state: dict[str, object]
) -> ReplaylabError:
    error = kind.__new__(kind)
    ReplaylabError.__init__(error, what, where=where, closest=closest, fix=fix)
    error.__dict__.update(state)
    return error


class UsageError(ReplaylabError):
    """Wrong options or a bad input file."""

    exit_code = EXIT_USAGE


class LimitReached(UsageError):
    """A limit of cost or calls that the user set was hit. Nothing recorded is lost."""

    exit_code = EXIT_FINDINGS


class DivergenceError(ReplaylabError):
    """A replay asked something else than was recorded, ran a lane dry, or left one unplayed.

    `callpath` is where; `pointer` is the JSON pointer of the first field that differs, "" when none can be named;
    `asked` is the digest of the request that was made; `kind` is one of `request`, `lane_dry`, `lane_unplayed`, `trajectory`, `verdict`, `structure`.
    """

    exit_code = EXIT_DIVERGED

    def __init__(
        self,
        what: str,
        *,
        kind: str,
        callpath: str,
        pointer: str = "",
        expected: object = None,
        observed: object = None,
        asked: str = "",
        where: str = "",
        closest: str = "",
        fix: str = "",
    ) -> None:
        super().__init__(what, where=where or callpath, closest=closest, fix=fix)
        self.kind, self.callpath, self.pointer = kind, callpath, pointer
        self.expected, self.observed, self.asked = expected, observed, asked


class StoreError(ReplaylabError):
    """A file of the library is damaged, too new, missing, or can't be written; the message names it."""

    exit_code = EXIT_STORE


class CassetteGone(StoreError):
    """A cassette was purged or redacted. That is no damage, and its trial is neither passed nor failed.

    `why` is `purged` or `redacted`, `reason` what the tombstone says.
    """

    exit_code = EXIT_FINDINGS

    def __init__(self, what: str, *, why: str, reason: str, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.why, self.reason = why, reason


class OfflineError(ReplaylabError):
    """Something wanted the network while offline."""

    exit_code = EXIT_OFFLINE


class CallFailed(ReplaylabError):
    """A model gave no usable answer. `kind` is a `schema.interaction.FailureKind` or a role's own reason."""

    def __init__(self, what: str, *, kind: str, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.kind = kind
