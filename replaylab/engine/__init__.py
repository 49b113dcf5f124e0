"""Plans runs, records them, replays them, swaps a role, merges and verifies libraries."""
