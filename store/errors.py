"""What can go wrong.

TablefoldError
├── ModelError                 a model that cannot be built
├── BadInput                   the caller's value is at fault
│   ├── CursorInvalid
│   ├── LimitExceeded          an operation that asks for too much
│   └── texts.Misfit           a value that does not fit its type or its key
├── Unauthenticated            raised by context hooks and resolvers, not by Tablefold
├── Forbidden                  likewise
├── ItemInvalid                a stored item does not fit its entity
├── WriteRefused               a write that changed nothing
│   ├── Conflict               the table holds something else than the write insists on
│   │   └── AlreadyThere       nothing but that the object exists
│   └── NotFound
├── UnknownOutcome             a write that may or may not have been applied
└── StoreError                 DynamoDB, or the way to it
    ├── Throttled
    │   └── Unprocessed        a batch of which only a part was served
    ├── DeadlineExceeded
    ├── Unavailable            connection lost, or 5xx
    ├── CollectionTooLarge     a list that was declared bounded and is not
    ├── TableMissing
    ├── CredentialsMissing
    ├── AccessDenied
    ├── RequestRefused         a request that DynamoDB does not accept as it stands
    ├── ItemTooLarge           a write that would make an item longer than 400 KB
    ├── ConditionFailed
    ├── TransactionConflict    another transaction holds the item
    └── TransactionCancelled
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from .values import Item
    from .wire import Reply

SHOWN_LENGTH = 60


def cut(value: object) -> str:
    """As much of a value as a message repeats."""
    text = str(value)
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}…"


class TablefoldError(Exception):
    """What all errors here are; `code` is the `extensions.code` that a client sees."""

    code: ClassVar[str] = "INTERNAL"


class ModelError(TablefoldError):
    """Raised while a model is built, never while a request is served."""


class BadInput(TablefoldError):
    """The message is for the caller, and says which value to change."""

    code = "BAD_USER_INPUT"


class CursorInvalid(BadInput):
    """Says the same whichever check failed, so that it cannot guide a forger."""

    code = "CURSOR_INVALID"

    def __init__(self) -> None:
        super().__init__(
            "This cursor does not belong to this list. Start again without a cursor, "
            "or use one from a page with the same arguments."
        )


class LimitExceeded(BadInput):
    code = "LIMIT_EXCEEDED"


class Unauthenticated(TablefoldError):
    """For your own code to raise where somebody has to sign in; clients see the message."""

    code = "UNAUTHENTICATED"


class Forbidden(TablefoldError):
    """For your own code to raise where somebody may not do this; clients see the message."""

    code = "FORBIDDEN"


class ItemInvalid(TablefoldError):
    code = "ITEM_INVALID"


class WriteRefused(TablefoldError):
    """Nothing was changed. `details` tell a client's program why, beside the code; `causes` are
    the failures behind it.
    """

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        causes: tuple[object, ...] = (),
    ) -> None:
        super().__init__(message)
        self.details = dict(details or {})
        self.causes = causes


class Conflict(WriteRefused):
    """The table holds something else than the write insists on."""

    code = "CONFLICT"


class AlreadyThere(Conflict):
    """The object that was to be created stands there, with whatever values."""


class NotFound(WriteRefused):
    """What was to be changed is not there."""

    code = "NOT_FOUND"


class UnknownOutcome(TablefoldError):
    """The answer to a write was lost: it may have been applied, as a whole, or not at all."""

    code = "UNKNOWN_OUTCOME"


class StoreError(TablefoldError):
    """`may_have_applied`: the request left, and no answer says that it had no effect."""

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        aws_code: str = "",
        may_have_applied: bool = False,
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.aws_code = aws_code
        self.may_have_applied = may_have_applied


class Throttled(StoreError):
    code = "THROTTLED"


class Unprocessed(Throttled):
    """`reply` holds what was served; its `unprocessed` is the request for the rest."""

    def __init__(self, message: str, *, operation: str, reply: Reply) -> None:
        super().__init__(message, operation=operation)
        self.reply = reply


class DeadlineExceeded(StoreError):
    code = "DEADLINE_EXCEEDED"


class Unavailable(StoreError):
    code = "UNAVAILABLE"


class CollectionTooLarge(StoreError):
    code = "LIMIT_EXCEEDED"


class TableMissing(StoreError):
    pass


class CredentialsMissing(StoreError):
    pass


class AccessDenied(StoreError):
    pass


class RequestRefused(StoreError):
    pass


class ItemTooLarge(StoreError):
    code = "BAD_USER_INPUT"


class ConditionFailed(StoreError):
    """`item` is what stands in the table, where the request asked to be shown it."""

    code = "CONFLICT"

    def __init__(
        self, message: str, *, operation: str = "", aws_code: str = "", item: Item | None = None
    ) -> None:
        super().__init__(message, operation=operation, aws_code=aws_code)
        self.item = item


class TransactionConflict(StoreError):
    code = "CONFLICT"


@dataclass(frozen=True, slots=True)
class CancellationReason:
    """Why one action of a transaction was refused; code "None" for an action at no fault."""

    code: str
    message: str = ""
    item: Item | None = field(default=None, hash=False)

    @property
    def failed(self) -> bool:
        """The action's condition does not hold."""
        return self.code == "ConditionalCheckFailed"

    @property
    def too_large(self) -> bool:
        return "Item size" in self.message


class TransactionCancelled(StoreError):
    """`reasons` stand in the order of the transaction's actions."""

    code = "CONFLICT"

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        aws_code: str = "",
        reasons: tuple[CancellationReason, ...] = (),
    ) -> None:
        super().__init__(message, operation=operation, aws_code=aws_code)
        self.reasons = reasons


EXPIRED_TOKEN_CODES = frozenset({"ExpiredTokenException", "ExpiredToken"})

# Reasons that pass by themselves: the same transaction may succeed a moment later.
PASSING_REASONS = frozenset(
    {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
)

BY_AWS_CODE: Mapping[str, type[StoreError]] = {
    "ProvisionedThroughputExceededException": Throttled,
    "RequestLimitExceeded": Throttled,
    "ThrottlingException": Throttled,
    "Throttling": Throttled,
    "ThrottledException": Throttled,
    "TooManyRequestsException": Throttled,
    "InternalServerError": Unavailable,
    "InternalFailure": Unavailable,
    "ServiceUnavailable": Unavailable,
    "ServiceUnavailableException": Unavailable,
    "ResourceNotFoundException": TableMissing,
    "TableNotFoundException": TableMissing,
    "AccessDeniedException": AccessDenied,
    "UnrecognizedClientException": AccessDenied,
    "InvalidSignatureException": AccessDenied,
    "IncompleteSignatureException": AccessDenied,
    "IncompleteSignature": AccessDenied,
    "MissingAuthenticationTokenException": AccessDenied,
    "MissingAuthenticationToken": AccessDenied,
    "InvalidClientTokenId": AccessDenied,
    "OptInRequired": AccessDenied,
    "RequestExpired": AccessDenied,
    "ExpiredTokenException": AccessDenied,
    "ExpiredToken": AccessDenied,
    "ConditionalCheckFailedException": ConditionFailed,
    "TransactionConflictException": TransactionConflict,
    "TransactionInProgressException": TransactionConflict,
    "TransactionCanceledException": TransactionCancelled,
    "ValidationException": RequestRefused,
    "SerializationException": RequestRefused,
    "IdempotentParameterMismatchException": RequestRefused,
    "ItemCollectionSizeLimitExceededException": RequestRefused,
}

PASSING_ERRORS: tuple[type[StoreError], ...] = (Throttled, Unavailable, TransactionConflict)


def passing(error: StoreError) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, TransactionCancelled):
        codes = {reason.code for reason in error.reasons} - {"None"}
        return bool(codes) and codes <= PASSING_REASONS
    return isinstance(error, PASSING_ERRORS)
