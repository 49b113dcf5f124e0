"""Trajectory, verdict and recovery, computed from a cassette alone."""
