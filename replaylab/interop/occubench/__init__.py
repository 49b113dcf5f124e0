"""Imports the published OccuBench data as scenarios of a catalogue."""

from replaylab.interop.occubench.importer import ImportRefused, import_occubench
from replaylab.interop.occubench.survey import ImportSummary, Irregularity

__all__ = ["ImportRefused", "ImportSummary", "Irregularity", "import_occubench"]
