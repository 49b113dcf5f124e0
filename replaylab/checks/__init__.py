"""The rubric language: checks that a program runs over a trajectory."""
