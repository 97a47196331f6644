"""The edge: model declarations, schema, connections, limits, errors, the ASGI app."""
