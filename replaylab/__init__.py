"""Record, replay and check agent benchmarks that run on simulated worlds."""

__version__ = "0.1.0"
