"""An operation becomes a plan, a plan becomes results."""
