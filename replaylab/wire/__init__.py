"""The HTTP boundary: transports, redaction, retries and rate limits."""
