"""What writes must leave in the table, whatever comes between."""
