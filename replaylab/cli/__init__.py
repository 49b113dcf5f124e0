"""The command line: one thin file a command, loaded when it is called.

This is the only package that reads the environment, the clock, argv and the current folder; it passes what it reads
downwards.
"""
