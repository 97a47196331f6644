"""What a client sees, and what is left behind, when the way to the table fails."""
