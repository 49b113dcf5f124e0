"""Imports transcripts of other harnesses: conversations that nobody here recorded, as cassettes that can be checked."""

from replaylab.interop.transcript.importer import ImportedTranscripts, Reading, import_transcripts
from replaylab.interop.transcript.lines import TranscriptsRefused

__all__ = ["ImportedTranscripts", "Reading", "TranscriptsRefused", "import_transcripts"]
