"""The things of a contract as they stand by now: what calls made of them, how an argument may pick among them, and which stand alike."""
