import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import strawberry

from tablefold import Gateway, Index, Table, lookup
from tablefold.store import tables
from tablefold.store.engines import Engine
from tablefold.store.entities import Layout
from tablefold.store.errors import CredentialsMissing, StoreError, TableMissing, Unavailable
from tablefold.store.settings import Settings
from tests.harness.tables import client


def layout_of(*, second: bool = True, projection: Any = "ALL") -> Layout:
    table = Table("things", indexes={"kinds": Index("ByKind", "KindPK", "SK", projection)})
    mails: dict[str, Any] = {"gsi1": lookup("MAIL#{mail}", "USER#{id}")} if second else {}
    pets: dict[str, Any] = {"gsi1": ("PETS", "PET#{id}")} if second else {}

    @table.entity("USER#{id}", "PROFILE", kinds=("KIND#{kind}", "PROFILE"), **mails)
    class User:
        id: strawberry.ID
        kind: str
        mail: str

    @table.entity("PET#{id}", "INFO", **pets)
    class Pet:
        id: strawberry.ID

    return Gateway(table).layout


def described(**changes: Any) -> dict[str, Any]:
    return {**tables.definition(layout_of(), "things"), **changes}


def sentences(layout: Layout, real: dict[str, Any]) -> list[str]:
    return [str(one) for one in tables.compare(layout, real)]


# What the model asks for.


def test_the_definition_names_each_key_attribute_once_and_is_billed_per_request():
    made = tables.definition(layout_of(), "my-things")
    assert made["TableName"] == "my-things"
    assert made["BillingMode"] == "PAY_PER_REQUEST"
    assert made["AttributeDefinitions"] == [
        {"AttributeName": name, "AttributeType": "S"}
        for name in ("PK", "SK", "KindPK", "GSI1PK", "GSI1SK")
    ]
    assert made["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]


@pytest.mark.parametrize(
    ("declared", "made"),
    [
        ("ALL", {"ProjectionType": "ALL"}),
        ("KEYS_ONLY", {"ProjectionType": "KEYS_ONLY"}),
        (["mail"], {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["mail"]}),
    ],
)
def test_an_index_projects_what_the_model_declares(declared: Any, made: dict[str, Any]):
    [index, _] = tables.definition(layout_of(projection=declared), "t")["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "ByKind"
    assert index["Projection"] == made


def test_a_table_without_indexes_asks_for_none():
    table = Table("plain")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID

    assert "GlobalSecondaryIndexes" not in tables.definition(Gateway(table).layout, "plain")


# Differences.


def test_a_table_made_from_the_model_differs_in_nothing():
    assert sentences(layout_of(), described()) == []


def test_a_missing_index_names_the_entities_that_need_it():
    real = described(GlobalSecondaryIndexes=described()["GlobalSecondaryIndexes"][:1])
    assert sentences(layout_of(), real) == [
        "The table things has no index GSI1 (GSI1PK / GSI1SK), which User and Pet need."
    ]
    real = described(GlobalSecondaryIndexes=described()["GlobalSecondaryIndexes"][1:])
    assert sentences(layout_of(), real) == [
        "The table things has no index ByKind (KindPK / SK), which User needs."
    ]


def test_an_index_that_nobody_uses_is_told():
    [told] = sentences(layout_of(second=False), described())
    assert told.startswith("The table things has an index GSI1 (GSI1PK / GSI1SK) that no entity")


def test_a_local_index_serves_as_well_as_a_global_one():
    indexes = described()["GlobalSecondaryIndexes"]
    real = described(GlobalSecondaryIndexes=indexes[1:], LocalSecondaryIndexes=indexes[:1])
    assert sentences(layout_of(), real) == []


def test_other_keys_are_told_for_table_and_index():
    indexes = described()["GlobalSecondaryIndexes"]
    keys = [{"AttributeName": "kind", "KeyType": "HASH"}]
    real = described(
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[{**indexes[0], "KeySchema": keys}, indexes[1]],
    )
    assert sentences(layout_of(), real) == [
        "The table things has the partition key id; the model says PK.",
        "The table things has no sort key; the model says SK.",
        "The index ByKind has the partition key kind; the model says KindPK.",
        "The index ByKind has no sort key; the model says SK.",
    ]


def test_a_key_that_is_no_string_is_told():
    real = described(AttributeDefinitions=[{"AttributeName": "SK", "AttributeType": "N"}])
    assert "The table things: the sort key SK is of type N; it must be S." in sentences(
        layout_of(), real
    )


@pytest.mark.parametrize(
    ("model", "real", "told"),
    [
        ("ALL", "KEYS_ONLY", "projects the keys only; the model says all attributes"),
        (["mail"], "ALL", "projects all attributes; the model says the keys and mail"),
        (["mail"], ["mail", "age"], "projects the keys and age and mail; the model says the keys"),
    ],
)
def test_another_projection_is_told(model: Any, real: Any, told: str):
    [found] = sentences(
        layout_of(projection=model), tables.definition(layout_of(projection=real), "things")
    )
    assert found.startswith(f"The index ByKind {told}")


def test_an_index_that_is_still_being_made_is_told():
    index, other = described()["GlobalSecondaryIndexes"]
    real = described(GlobalSecondaryIndexes=[{**index, "IndexStatus": "CREATING"}, other])
    assert sentences(layout_of(), real) == ["The index ByKind cannot be read yet: it is CREATING."]


# The client.


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that gives neither region nor keys."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


@pytest.mark.usefixtures("bare")
def test_without_a_region_the_client_says_where_to_set_one():
    with pytest.raises(StoreError, match="No AWS region is set"):
        tables.client(Settings())


@pytest.mark.usefixtures("bare")
def test_a_local_endpoint_needs_neither_region_nor_credentials():
    made = tables.client(Settings(endpoint_url="http://127.0.0.1:1"))
    assert made.meta.region_name == "us-east-1"
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        tables.verify(made, layout_of(), "things")


@pytest.mark.usefixtures("bare")
def test_aws_without_credentials_says_where_to_set_them():
    with pytest.raises(CredentialsMissing, match="AWS_ACCESS_KEY_ID"):
        tables.verify(tables.client(Settings(region="eu-central-1")), layout_of(), "things")


@pytest.mark.usefixtures("bare")
def test_half_of_the_credentials_says_where_to_set_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "half")
    with pytest.raises(CredentialsMissing, match="AWS_SECRET_ACCESS_KEY"):
        tables.client(Settings(region="eu-central-1"))


@pytest.mark.parametrize("url", ["http://localhost:port", "http://localhost:99999"])
def test_a_port_that_is_none_is_refused(url: str):
    with pytest.raises(StoreError, match="is no endpoint"):
        tables.client(Settings(endpoint_url=url))


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"])
def test_the_endpoint_of_the_environment_is_taken_as_boto3_takes_it(
    monkeypatch: pytest.MonkeyPatch, variable: str
):
    monkeypatch.setenv(variable, "http://dynamodb:8000")
    assert tables.client(Settings()).meta.endpoint_url == "http://dynamodb:8000"


def test_a_session_of_the_gateway_is_used():
    session = boto3.Session(region_name="ap-south-1")
    assert tables.client(Settings(), session).meta.region_name == "ap-south-1"


def test_an_endpoint_without_a_scheme_is_refused():
    with pytest.raises(StoreError, match="Write it with its scheme"):
        tables.client(Settings(endpoint_url="localhost:8000"))


# On engines.


@pytest.fixture
def name(engine: Engine) -> Iterator[str]:
    name = f"things-{uuid.uuid4().hex[:8]}"
    yield name
    dynamodb = client(engine.endpoint_url)
    if name in dynamodb.list_tables()["TableNames"]:
        dynamodb.delete_table(TableName=name)


def test_a_created_table_is_what_the_model_says(engine: Engine, name: str):
    layout = layout_of(projection=["mail"])
    dynamodb = tables.client(Settings(endpoint_url=engine.endpoint_url))
    assert tables.create(dynamodb, layout, name)
    assert not tables.create(dynamodb, layout, name)
    assert tables.verify(dynamodb, layout, name) == []


def test_what_has_expired_is_deleted_from_a_created_table(engine: Engine, name: str):
    dynamodb = tables.client(Settings(endpoint_url=engine.endpoint_url))
    tables.create(dynamodb, layout_of(), name)
    told = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert told == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expiresAt"}


def test_a_table_of_another_model_differs(engine: Engine, name: str):
    dynamodb = tables.client(Settings(endpoint_url=engine.endpoint_url))
    tables.create(dynamodb, layout_of(second=False, projection="KEYS_ONLY"), name)
    assert [one.subject for one in tables.verify(dynamodb, layout_of(), name)] == [
        "ByKind",
        "GSI1",
    ]


def test_a_missing_table_is_named(engine: Engine):
    dynamodb = tables.client(Settings(endpoint_url=engine.endpoint_url))
    with pytest.raises(TableMissing, match="There is no table nowhere here"):
        tables.verify(dynamodb, layout_of(), "nowhere")
