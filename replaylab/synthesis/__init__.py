"""Making new benchmark tasks: written part by part, proved, tried, judged, mended, filtered, and chosen.

Everything that a model says is recorded in cassettes of the kind `synthesis`, and what came of each candidate follows
from them: playing the same order again gives the same history, selection and files.
"""
