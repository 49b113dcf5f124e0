"""What runs inside the recorded program. It is loaded by its path and imports nothing of replaylab."""
