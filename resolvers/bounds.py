"""Bounds of a write, checked before it is sent: DynamoDB would refuse it, and say less."""

from __future__ import annotations

from collections.abc import Sequence

from ..store.errors import BadInput
from ..store.expressions import EXPRESSION_MAX_BYTES, SetTo
from ..store.requests import TRANSACT_MAX_ACTIONS
from ..store.weights import ITEM_MAX_BYTES, TRANSACTION_MAX_BYTES, item_bytes, value_bytes
from ..store.writes import Put, Update
from .changes import Change, described
from .drafts import Draft, Step

FEW = 50
"""So many conditions and updates never make an expression too long."""


def check(drafts: Sequence[Draft], steps: Sequence[Step]) -> None:
    if len(steps) > TRANSACT_MAX_ACTIONS:
        raise BadInput(
            f"This write takes {len(steps)} actions on items; a transaction has at most "
            f"{TRANSACT_MAX_ACTIONS}. Write less at once: copies and guards count as well."
        )
    owners: dict[tuple[str, str], Change] = {}
    total = 0
    for draft in drafts:
        for step in draft.steps:
            _refuse_long(draft.change, step)
            weight = _weight(step)
            if weight > ITEM_MAX_BYTES:
                raise too_large(draft.change, weight)
            total += weight
            if (other := owners.get(step.key)) is not None:
                raise BadInput(
                    f"Two actions of one transaction are about the item {' / '.join(step.key)}: "
                    f"{described(other)}, and {described(draft.change)}. Make them one."
                )
            owners[step.key] = draft.change
    if total > TRANSACTION_MAX_BYTES:
        raise BadInput(
            f"This write holds {total:,} bytes; a transaction takes {TRANSACTION_MAX_BYTES:,}. "
            "Write less at once."
        )


def _refuse_long(change: Change, step: Step) -> None:
    """DynamoDB takes expressions of 4 KB; only many attributes make them that long."""
    if len(step.expects) + len(getattr(step.action, "actions", ())) < FEW:
        return
    rendered = step.conditional("PK").action()
    for name in ("ConditionExpression", "UpdateExpression"):
        if len(rendered.get(name, "").encode()) > EXPRESSION_MAX_BYTES:
            raise BadInput(
                f"Cannot {described(change)}: it insists on more attributes than an expression of "
                f"{EXPRESSION_MAX_BYTES:,} bytes can name. Give {change.entity.name} a Version and "
                "a CreatedAt, which tell as much."
            )


def too_large(change: Change, weight: int | None = None) -> BadInput:
    size = "longer" if weight is None else f"{weight:,} bytes long, more"
    return BadInput(
        f"Cannot {described(change)}: the item would be {size} than the {ITEM_MAX_BYTES:,} bytes "
        "that DynamoDB takes. Store less in it, or split it."
    )


def weight(draft: Draft) -> int:
    return sum(map(_weight, draft.steps))


def _weight(step: Step) -> int:
    match step.action:
        case Put() as put:
            return item_bytes(put.item)
        case Update() as update:
            sets = (one for one in update.actions if isinstance(one, SetTo))
            return sum(len(one.attribute) + value_bytes(one.value) for one in sets)
        case _:
            return 0
