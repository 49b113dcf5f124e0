"""The library on disk: immutable objects, run references, the lock and the derived index."""
