"""vcrpy: its cassettes in and out, and a persister that keeps a suite's recordings in a library of ours."""
