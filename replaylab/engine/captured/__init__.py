"""Recording and playing what strangers ask: no network, no server, no processes."""
