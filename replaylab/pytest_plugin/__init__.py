"""A pytest plugin: a test's model calls are recorded once and played from then on."""
