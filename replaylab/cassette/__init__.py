"""Cassettes: the request digest, the lines of the file, and the tape that records, resumes or plays a subject."""
