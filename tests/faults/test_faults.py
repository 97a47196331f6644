"""Each fault alone: once, and the answer is right; for good, and it is an error in its place."""

from collections.abc import Callable

import pytest

from tablefold import Gateway
from tests.faults.asking import ALL, ORDER, PRODUCTS, PROFILE, OpenShop, errors_of
from tests.harness.faults import (
    Fault,
    FaultyProxy,
    Script,
    answered,
    chunked,
    compressed,
    corrupt,
    failed,
    half,
    hung_up,
    passed,
    preceded,
    refused,
    reset_after,
    reset_before,
    silent,
    slow,
    throttled,
    unprocessed,
)
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

HTML = b"<html><body>502 Bad Gateway</body></html>"

PASSING: list[tuple[Fault, str]] = [
    (throttled(), "THROTTLED"),
    (throttled("ThrottlingException"), "THROTTLED"),
    (throttled("RequestLimitExceeded"), "THROTTLED"),
    (answered(b"slow down", status=429), "THROTTLED"),
    (failed(), "UNAVAILABLE"),
    (refused("NeverHeardOf", status=500), "UNAVAILABLE"),
    (answered(b"", status=503), "UNAVAILABLE"),
    (answered(HTML, status=502, name="HTML"), "UNAVAILABLE"),
    (answered(b"", status=408), "UNAVAILABLE"),
    (reset_before(), "UNAVAILABLE"),
    (reset_after(), "UNAVAILABLE"),
    (hung_up(), "UNAVAILABLE"),
    (hung_up(b"SMTP ready\r\n"), "UNAVAILABLE"),
    (half(), "UNAVAILABLE"),
    (corrupt(), "UNAVAILABLE"),
    (compressed(), "UNAVAILABLE"),
    (answered(b"[]", name="no object"), "UNAVAILABLE"),
    (answered(b"null", name="null"), "UNAVAILABLE"),
    (answered(b"[" * 100_000, name="deep"), "UNAVAILABLE"),
    (answered(b'{"a":' * 100_000, name="deep object"), "UNAVAILABLE"),
    (answered(b'{"Item": {}}', Content_Length="5", name="cut by its length"), "UNAVAILABLE"),
    (answered(b"{}", status=400, x_amz_crc32="1", name="damaged refusal"), "UNAVAILABLE"),
]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Fault) else ""


@pytest.mark.engines("dynoxide", "dynamodb-local")
@pytest.mark.parametrize(("fault", "code"), PASSING, ids=name_of)
async def test_a_fault_that_passes_is_not_seen(
    shop: Gateway, faulty: FaultyProxy, fault: Fault, code: str
):
    faulty.course = Script([fault])

    assert data_of(await shop.execute(PROFILE)) == {"user": {"name": "Ada Moreau"}}

    assert faulty.met == [fault.name, "passed"]


@pytest.mark.parametrize(("fault", "code"), PASSING, ids=name_of)
async def test_a_fault_that_stays_is_an_error_where_it_happens_and_siblings_arrive(
    shop: Gateway, faulty: FaultyProxy, fault: Fault, code: str
):
    faulty.course = Script([fault], only="Query", cycle=True)

    result = await shop.execute(ALL)

    assert result.data == {"user": {"name": "Ada Moreau"}, "order": None}
    assert errors_of(result) == [("order", code)]
    assert faulty.met.count(fault.name) == 8, "attempts are bounded"


REFUSALS = [
    refused("ValidationException"),
    refused("AccessDeniedException"),
    refused("UnrecognizedClientException"),
    refused("InvalidSignatureException"),
    refused("RequestExpired"),
    refused("ResourceNotFoundException"),
    refused("NeverHeardOf"),
    answered(b"Request Entity Too Large", status=413),
    answered(HTML, status=400),
    answered(b"", status=301, Location="http://127.0.0.1:9/"),
    answered(b"", status=304),
    answered(b"", status=204),
]


@pytest.mark.parametrize("fault", REFUSALS, ids=name_of)
async def test_a_refusal_is_not_repeated_and_siblings_arrive(
    shop: Gateway, faulty: FaultyProxy, fault: Fault
):
    faulty.course = Script([fault], only="Query", cycle=True)

    result = await shop.execute(ALL)

    assert result.data == {"user": {"name": "Ada Moreau"}, "order": None}
    assert errors_of(result) == [("order", "INTERNAL")]
    assert faulty.met.count(fault.name) == 1


@pytest.mark.parametrize(
    "strange",
    [chunked(), chunked(1), preceded(), preceded(b"HTTP/1.1 100 Continue\r\n\r\n" * 3)],
    ids=name_of,
)
async def test_a_strange_but_whole_answer_is_understood(
    shop: Gateway, faulty: FaultyProxy, strange: Fault
):
    faulty.course = Script([strange], cycle=True)

    assert data_of(await shop.execute(PROFILE)) == {"user": {"name": "Ada Moreau"}}
    assert data_of(await shop.execute(PROFILE)) == {"user": {"name": "Ada Moreau"}}

    assert faulty.met == [strange.name] * 2
    assert faulty.opened == 1


async def test_a_switch_of_protocols_is_refused(shop: Gateway, faulty: FaultyProxy):
    switching = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
    faulty.course = Script([hung_up(switching)])

    assert data_of(await shop.execute(PROFILE)) == {"user": {"name": "Ada Moreau"}}


async def test_every_other_batch_is_served_in_part(shop: Gateway, faulty: FaultyProxy):
    faulty.course = Script([unprocessed(), passed()], cycle=True)

    data = data_of(await shop.execute(PRODUCTS))

    assert [one["id"] for one in data["products"]] == ["p_001", "p_002", "p_003", "p_004"]
    asked = [len(keys_of(record.body)) for record in faulty.sent]
    assert asked == [4, 2], "only the rest is asked for again"


async def test_a_batch_that_is_never_served_whole_leaves_errors_in_the_places_of_its_rest(
    shop: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([unprocessed()], cycle=True)

    result = await shop.execute(PRODUCTS)

    # Halves are served until one key is left, and of one the half is none.
    assert result.data == {"products": [{"id": "p_001"}, {"id": "p_002"}, {"id": "p_003"}, None]}
    assert errors_of(result) == [("products.3", "THROTTLED")]
    asked = [len(keys_of(record.body)) for record in faulty.sent]
    assert asked == [4, 2] + [1] * 7, "what makes no progress is bounded"


def keys_of(body: dict[str, dict[str, dict[str, list[object]]]]) -> list[object]:
    [entry] = body["RequestItems"].values()
    return entry["Keys"]


@pytest.mark.parametrize("fault", [lambda: slow(30), silent], ids=["slow", "silent"])
async def test_nothing_is_waited_for_past_the_deadline(
    open_shop: OpenShop, faulty: FaultyProxy, fault: Callable[[], Fault]
):
    shop = open_shop(deadline=1.0)
    faulty.course = Script([fault()], only="Query", cycle=True)

    result = await shop.execute(ALL, explain=True)

    assert result.data == {"user": {"name": "Ada Moreau"}, "order": None}
    assert errors_of(result) == [("order", "DEADLINE_EXCEEDED")]


async def test_a_slow_answer_within_the_deadline_arrives(shop: Gateway, faulty: FaultyProxy):
    faulty.course = Script([slow(0.3)])

    assert data_of(await shop.execute(ORDER))["order"]["id"] == "o_0065"
    assert faulty.met == ["slow"]


async def test_a_silent_attempt_leaves_time_for_another(open_shop: OpenShop, faulty: FaultyProxy):
    shop = open_shop(deadline=10.0, response_seconds=0.3)
    faulty.course = Script([silent()])

    assert data_of(await shop.execute(PROFILE)) == {"user": {"name": "Ada Moreau"}}
    assert faulty.met == ["silent", "passed"]


async def test_the_second_wave_may_fail_where_the_first_has_come(
    shop: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([failed()], only="BatchGetItem", cycle=True)

    result = await shop.execute(
        '{ order(id: "o_0065") { id user { name } items { n product { name } } } }'
    )

    assert result.data is not None
    order = result.data["order"]
    assert order["id"] == "o_0065" and order["user"] is None
    assert [one["product"] for one in order["items"]] == [None] * len(order["items"])
    assert set(errors_of(result)) == {
        ("order.user", "UNAVAILABLE"),
        *((f"order.items.{at}.product", "UNAVAILABLE") for at in range(len(order["items"]))),
    }
