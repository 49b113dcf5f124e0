"""Runs as Parquet tables: interactions, trajectories, verdicts."""
