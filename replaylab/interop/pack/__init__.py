"""Packs: one plain tar archive of a run, which tar and sha256sum open, and which is a library once it is unpacked."""
