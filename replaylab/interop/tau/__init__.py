"""Imports the result files of tau-bench (a list of episodes) and of tau2 (one object with simulations)."""

from replaylab.interop.tau.reader import TAU

__all__ = ["TAU"]
