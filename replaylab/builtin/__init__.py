"""The built-in models: programs that answer in the shape of a paid model."""
