"""`capture --patch`: vcrpy inside Python programs that can't be pointed at the proxy, answered by the recording process."""
