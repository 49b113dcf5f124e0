"""HAR, the HTTP Archive format 1.2: its exchanges as a captured run, which can be played like any other."""
