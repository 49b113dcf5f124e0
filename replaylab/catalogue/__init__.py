"""Scenarios, tasks and twins, read from disk."""
