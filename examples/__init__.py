"""One runnable model per domain."""
