"""Finds secrets that were kept: in a library's cassettes, runs and journals, and in other files."""
