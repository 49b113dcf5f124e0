"""Agent, simulator and verifier: the messages that they send and how their answers are read. No I/O."""
