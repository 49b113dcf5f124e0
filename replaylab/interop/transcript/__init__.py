"""Imports transcripts of other harnesses: conversations that nobody here recorded, as cassettes that can be checked."""

from replaylab.interop.transcript.importer import (
    ImportedTranscripts,
    TranscriptsRefused,
    import_transcripts,
)

__all__ = ["ImportedTranscripts", "TranscriptsRefused", "import_transcripts"]
