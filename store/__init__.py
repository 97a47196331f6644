"""Everything that knows DynamoDB exists."""
