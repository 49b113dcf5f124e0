"""Checking a published result: its recordings, its tables, its sentences."""
