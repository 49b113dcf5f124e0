"""Agent, simulator and verifier: their loops, prompts and strict parsers."""
