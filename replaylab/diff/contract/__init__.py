"""What an environment fixes, and which part of it an observation shows."""
