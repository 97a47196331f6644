"""Merging fields: the same verdicts as graphql-core's rule, at a cost that does not explode."""

import pytest
from graphql import (
    GraphQLSchema,
    OperationDefinitionNode,
    OverlappingFieldsCanBeMergedRule,
    build_schema,
    parse,
    specified_rules,
    validate,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tablefold.gql import overlapping
from tablefold.gql.overlapping import TooIntricate, overlaps

SCHEMA = build_schema("""
    interface Pet { name(upper: Boolean): String owner: Person age: Int }
    type Cat implements Pet { name(upper: Boolean): String owner: Person age: Int lives: Int! kin: [Pet] }
    type Dog implements Pet { name(upper: Boolean): String owner: Person age: Int lives: String kin: [Pet]! }
    type Person { name(upper: Boolean): String pet: Pet pets: [Pet] age: Int }
    union Any = Cat | Dog | Person
    type Query { pet(id: ID): Pet person: Person any: Any }
""")  # noqa: E501

OTHERS = tuple(rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule)


def verdict(text: str, schema: GraphQLSchema = SCHEMA) -> str | None:
    document = parse(text)
    assert validate(schema, document, OTHERS) == []
    errors = overlaps(schema, document)
    return errors[0].message.partition("because ")[2].partition(".")[0] if errors else None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{ person { name name } }", None),
        ("{ person { name: age name } }", "they return conflicting types"),
        ("{ person { n: name n: name(upper: true) } }", "they have differing arguments"),
        ("{ person { a: name a: name(upper: null) } }", "they have differing arguments"),
        ("{ pet { ... on Cat { n: name } ... on Dog { n: name(upper: true) } } }", None),
        ("{ pet { n: age ... on Cat { n: lives } } }", "they return conflicting types"),
        ("{ pet { ... on Cat { n: lives } ... on Dog { n: age } } }",
         "they return conflicting types"),
        ("{ pet { ... on Cat { k: kin { name } } ... on Dog { k: kin { age } } } }",
         "they return conflicting types"),
        ("{ person { pet { name } pet { name: age } } }", "they return conflicting types"),
        ("{ person { pet { n: age } pet { ... on Cat { n: age } } } }", None),
        ("{ person { ...a ...b } } fragment a on Person { x: age } fragment b on Person { x: age }",
         None),
    ],
)  # fmt: skip
def test_fields_under_one_response_key_must_agree(text: str, reason: str | None):
    assert verdict(text) == reason


_PET = ["name", "owner", "age"]
NAMES = {
    "Query": ["pet", "person"],
    "Pet": _PET,
    "Cat": [*_PET, "lives", "kin"],
    "Dog": [*_PET, "lives", "kin"],
    "Person": ["name", "pet", "pets", "age"],
}
BELOW = {"pet": "Pet", "pets": "Pet", "person": "Person", "owner": "Person", "kin": "Pet"}
FRAGMENTS = {"f0": "Person", "f1": "Pet", "f2": "Person", "f3": "Cat", "f4": "Pet"}


@st.composite
def selections(draw: st.DrawFn, parent: str, depth: int, first: int) -> str:
    """Spreads go to fragments from `first` on, so that there are no cycles."""
    options = [*NAMES[parent], *_spreads(parent, first)]
    if parent == "Pet" and depth:
        options += ["... on Cat", "... on Dog"]
    parts: list[str] = []
    for one in draw(st.lists(st.sampled_from(options), min_size=1, max_size=4)):
        if one.startswith("... on "):
            parts.append(f"{one} {{ {draw(selections(one[7:], depth - 1, first))} }}")
        elif one.startswith("..."):
            parts.append(one)
        else:
            parts.append(
                draw(st.sampled_from(["", "", "a: ", "b: "])) + draw(field(one, depth, first))
            )
    return " ".join(parts)


@st.composite
def field(draw: st.DrawFn, name: str, depth: int, first: int) -> str:
    if name not in BELOW:
        return name + (draw(st.sampled_from(["", "(upper: true)"])) if name == "name" else "")
    below = draw(selections(BELOW[name], depth - 1, first)) if depth else "__typename"
    return f"{name} {{ {below} }}"


def _spreads(parent: str, first: int) -> list[str]:
    kin = {parent, *({"Cat", "Pet"} if parent in ("Cat", "Pet") else ())}
    return [f"...{name}" for name, kind in list(FRAGMENTS.items())[first:] if kind in kin]


@st.composite
def documents(draw: st.DrawFn) -> str:
    parts = [f"{{ {draw(selections('Query', 4, 0))} }}"]
    for at, (name, kind) in enumerate(FRAGMENTS.items()):
        parts.append(f"fragment {name} on {kind} {{ {draw(selections(kind, 2, at + 1))} }}")
    return " ".join(parts)


VALID_OTHERWISE = tuple(rule for rule in OTHERS if "UnusedFragments" not in rule.__name__)


@settings(max_examples=100, deadline=None)
@given(documents())
def test_the_verdict_is_that_of_graphql_core(text: str):
    document = parse(text)
    assert validate(SCHEMA, document, VALID_OTHERWISE) == []
    used = _spread_from_the_operation(text)
    pruned = parse(used)
    theirs = bool(validate(SCHEMA, pruned, [OverlappingFieldsCanBeMergedRule]))
    assert bool(overlaps(SCHEMA, pruned)) is theirs


def _spread_from_the_operation(text: str) -> str:
    """graphql-core also looks into fragments that nothing spreads; those never run."""
    parts = text.split("fragment ")
    bodies = {part.split(" ")[0]: f"fragment {part}" for part in parts[1:]}
    kept, waiting = [parts[0]], [parts[0]]
    while waiting:
        body = waiting.pop()
        for name in list(bodies):
            if f"...{name}" in body:
                waiting.append(bodies[name])
                kept.append(bodies.pop(name))
    return " ".join(kept)


def test_repeating_a_field_costs_in_proportion():
    def visits(count: int) -> int:
        check = overlapping._Check(SCHEMA, {})  # pyright: ignore[reportPrivateUsage]
        [operation] = parse("{ " + "person { pets { name } } " * count + "}").definitions
        assert isinstance(operation, OperationDefinitionNode) and SCHEMA.query_type
        check.scopes([check.scope(operation.selection_set, SCHEMA.query_type)])
        return check._visits  # pyright: ignore[reportPrivateUsage]

    assert visits(400) == 4 * visits(100)


def test_fragments_that_meet_in_too_many_ways_are_given_up():
    # At the end, the fragments tell which of the steps went through `b`: 2^12 companies.
    steps = 12
    parts = ["{ person { ...s0 } }", f"fragment s{steps} on Person {{ name }}"]
    for n in range(steps):
        parts.append(_step(f"s{n}", f"...s{n + 1}", f"...s{n + 1} ...t{n}_{n + 1}"))
        for m in range(n + 1, steps + 1):
            onward = f"...t{n}_{m + 1}" if m < steps else f"x{n}: age"
            parts.append(_step(f"t{n}_{m}", onward, onward))
    with pytest.raises(TooIntricate):
        overlaps(SCHEMA, parse(" ".join(parts)))


def _step(name: str, a: str, b: str) -> str:
    return (
        f"fragment {name} on Person {{ a: pet {{ owner {{ {a} }} }} b: pet {{ owner {{ {b} }} }} }}"
    )
