"""Fault plans: which observations are disturbed, how, and for how long. Pure and seeded."""
