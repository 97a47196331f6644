"""The shop's own mutation; those of single entities are made from the model."""

import datetime
from decimal import Decimal

import strawberry

from tablefold import Gateway

from .model import Order, OrderItem, OrderStatus, Product, User


@strawberry.input
class OrderLineInput:
    product_id: strawberry.ID
    quantity: int
    price: Decimal = strawberry.field(
        description="As the buyer saw it; the order is refused if it has another one by now."
    )


@strawberry.input
class PlaceOrderInput:
    id: strawberry.ID
    user_id: strawberry.ID
    placed_on: datetime.date
    lines: list[OrderLineInput]


@strawberry.type
class Mutation:
    @strawberry.mutation(description="An order with its lines, taken from what is in stock.")
    async def place_order(
        self, info: strawberry.Info, input: PlaceOrderInput, idempotency_key: str | None = None
    ) -> Order | None:
        order = Order(
            id=input.id,
            user_id=input.user_id,
            placed_on=input.placed_on,
            status=OrderStatus.PENDING,
            total=sum((line.price * line.quantity for line in input.lines), Decimal()),
        )
        gateway = Gateway.of(info)
        async with gateway.transaction(info, idempotency_key=idempotency_key) as tx:
            tx.check(User, input.user_id)
            tx.create(order)
            for n, line in enumerate(input.lines, 1):
                tx.create(
                    OrderItem(
                        order_id=order.id,
                        n=n,
                        product_id=line.product_id,
                        quantity=line.quantity,
                        price=line.price,
                    )
                )
                tx.update(
                    Product,
                    line.product_id,
                    add={"inventory": -line.quantity},
                    where={"price": line.price},
                )
        return order
