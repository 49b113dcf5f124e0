"""Agents of the user's own: a Python function, a program, or whoever speaks MCP, playing the agent of a trial."""
