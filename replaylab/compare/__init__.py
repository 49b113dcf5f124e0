"""Runs and simulators held against each other: what became worse, who agrees, and which simulator keeps its contract."""
