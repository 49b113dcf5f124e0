"""`replaylab sign`: a detached signature over a pack or a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import require_extra
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE, UsageError

if TYPE_CHECKING:
    from replaylab.interop.pack.signed import Message


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab sign study.tar --key ~/.ssh/id_ed25519", "writes study.tar.sig"),
        ("replaylab sign study --key key.pem", "a run of the library, through its run object"),
        ("replaylab verify study.tar --key id_ed25519.pub", "what a reader runs"),
        (
            "ssh-keygen -Y sign -n replaylab -f KEY study-*/SHA256SUMS",
            "the same, of an unpacked pack, where the key has a passphrase",
        ),
        (
            "ssh-keygen -Y sign -n replaylab -f KEY < cassettes/objects/3f/3f9c….run > study.run.sig",
            "the same, of a run of the library (its object has the run id as name)",
        ),
        (
            "replaylab audit study --key id_ed25519.pub --signature study-*.run.sig",
            "an audit that holds the run against its signature",
        ),
        (
            "ssh-keygen -Y verify -n replaylab -f SIGNERS -I WHO -s study.tar.sig < study-*/SHA256SUMS",
            "the same check without replaylab",
        ),
    ),
)
@click.argument("what", metavar="PACK_OR_RUN", required=False)
@click.option(
    "--key",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="An Ed25519 private key without a passphrase: OpenSSH's format, or PEM.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: PACK.sig, RUN-ID.run.sig.",
)
@json_option
@pass_app
def command(app: App, what: str | None, key: Path, out: Path | None) -> None:
    """Sign a pack, or a run of the library (the newest one where none is named).

    The signature is a file in the format of `ssh-keygen -Y sign`, namespace replaylab. Of a pack the message is its
    SHA256SUMS, of a run its run object: files that a reader has, so both tools can make and check it.
    """
    require_extra()
    from replaylab.interop.pack.keys import private_key
    from replaylab.interop.pack.sshsig import NAMESPACE, sign
    from replaylab.store.disk import write_file

    signer = private_key(app.cwd / key.expanduser())
    message, target = _message(app, what)
    target = app.cwd / out if out else target
    write_file(target, sign(signer, message.data))
    said = app.output
    said.text(f"signed {message.what}")
    said.text(f"run id {message.run}")
    said.text(f"key {signer.public.fingerprint}")
    said.text(f"wrote {target}")
    said.text("for those who check it, the public key:")
    said.text(f"  {signer.public.line}")
    said.document(
        ok=True,
        run=message.run,
        signed=message.what,
        key=signer.public.fingerprint,
        public_key=signer.public.line,
        namespace=NAMESPACE,
        file=str(target),
    )


def _message(app: App, what: str | None) -> tuple[Message, Path]:
    """What is signed, and where the signature goes where nobody says."""
    from replaylab.cli.reading import library_of
    from replaylab.interop.pack.names import top_folder
    from replaylab.interop.pack.packed import open_packed
    from replaylab.interop.pack.signed import Message
    from replaylab.store.library import Library

    library = Library(app.library)
    file = app.cwd / what if what else None
    if file is not None and file.is_file():
        if what in library.refs():
            raise UsageError(
                f"{what} is a file here and a run", fix=f"./{what} for the file; the run id for the run"
            )
        _, run_id, read = open_packed(file.resolve())
        return Message(f"SHA256SUMS of {file}", run_id, read.sums), file.with_name(f"{file.name}.sig")
    if what is not None and what.endswith(".tar"):
        raise UsageError("there is no such pack", where=str(file), fix="`replaylab pack` makes one")
    run_id, run = library_of(app).run(what)
    named = Message(f"the run object of {run.name}", run_id, library.get(run_id, "run"))
    return named, app.cwd / f"{top_folder(run.name, run_id)}.run.sig"
