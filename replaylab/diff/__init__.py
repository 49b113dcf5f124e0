"""Where a simulator broke its contract: one simulator alone, from its observations and the environment.

The way in is `check.check_observations` and `trial.check_trajectory`; DIFF.md says what is found and what is not. Rules stand
in the room of what they find: `fabrications`, `omissions`, `contradictions`, `refusals`. They look at `calls`, these
know the `contract`, and all of them know `words`. `parting` holds several simulators beside each other.
"""
