"""Many small asks become few requests."""
