"""What integration tests stand on: engines, a recording proxy, tables."""
