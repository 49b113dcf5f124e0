"""The built-in models: programs that answer in the shape of a paid model.

They are stateless like a real endpoint: which environment or task is meant follows from the digest of the prompt, the
state from the history in the request. The same body gets the same bytes, in any process.
"""
