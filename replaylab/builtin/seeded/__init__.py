"""What the violating twins say: the truth of an environment, with contract violations seeded into it.

Each shape is one function from the truth and a draw to what is said; None where it does not apply. What is wrong in it is
named beside it, never in it.
"""
