"""Trajectory and verdict out of a cassette's lines. Pure."""
