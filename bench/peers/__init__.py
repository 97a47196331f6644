"""Each peer is a process of its own, so that its CPU time is its own."""
