"""A shop: users, their addresses and orders, and the products in them."""

from .model import gateway, table

__all__ = ["gateway", "table"]
