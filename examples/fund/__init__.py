"""An investment fund's documents, with the positions whose items they hold."""

from .model import gateway, table

__all__ = ["gateway", "table"]
