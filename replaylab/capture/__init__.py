"""A proxy that records and replays whatever speaks to an LLM API, and programs run behind it."""
