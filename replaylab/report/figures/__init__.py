"""Figures out of tables: SVG, PNG and PDF, the same bytes on every machine, readable without colour."""

from replaylab.report.figures.draw import FIGURES, draw_all
from replaylab.report.figures.value import Drawn

__all__ = ["FIGURES", "Drawn", "draw_all"]
