"""Where a simulator broke its contract: one simulator alone, from its observations and the environment.

The way in is `check.check_observations` and `check.check_trajectory`; DIFF.md says what is found and what is not.
"""
