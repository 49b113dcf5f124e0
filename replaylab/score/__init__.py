"""Tables and decisions from cassettes alone: facts of each trial, statistics, tables, gates. Pure but for the cache."""
