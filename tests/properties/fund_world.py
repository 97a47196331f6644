"""The fund as plain objects: every field of its schema, worked out over lists."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from examples.fund import model as fund
from tests.properties.operations import Pools
from tests.properties.oracle import Collection, Oracle, Place, Resolver, first, key_text
from tests.properties.worlds import BAD_IDS, SIZES, World, nodes, sample_of


@dataclass(frozen=True)
class Fund(World):
    @classmethod
    def sampled(cls) -> "Fund":
        return cls(fund.gateway, sample_of(fund.gateway))

    def _pools(self) -> Pools:
        documents = [one.document_id for one in self.of(fund.Document)]
        positions = sorted({one.position_id for one in self.of(fund.CapitalCall)})
        dated = [one.dated for one in self.of(fund.DocumentVersion)]
        node_id = self.oracle.node_id
        return Pools(
            {
                "documentId": [*documents * 3, *BAD_IDS],
                "documentIds": [*documents * 3, *BAD_IDS],
                "positionId": [*positions * 3, *BAD_IDS[:2]],
                "position.positionId": [*positions * 3, *BAD_IDS[:2]],
                "Date": ["2025-08-15", "2025-09-01", "2025-01-01", *map(str, dated)],
                "first": SIZES,
                "last": SIZES,
                "nodeId": [*map(node_id, self.homes[:40]), "garbage"],
            }
        )

    def _oracle(self) -> Oracle:
        documents, versions = self.of(fund.Document), self.of(fund.DocumentVersion)
        activities = self.of(fund.CapitalActivity)
        past = self.of(fund.CapitalActivityVersion)
        kinds = {
            "CAPITAL_CALL": self.of(fund.CapitalCall),
            "DISTRIBUTION": self.of(fund.Distribution),
            "UNFUNDED_COMMITMENT": self.of(fund.UnfundedCommitment),
        }
        calls, distributions, commitments = kinds.values()
        held = [one for rows in kinds.values() for one in rows]

        def dated(rows: Iterable[Any], document: object, **options: Any) -> Collection:
            mine = (one for one in rows if one.document_id == document)
            return Collection(mine, lambda one: one.dated.isoformat(), ("dated",), **options)

        def positioned(rows: Iterable[Any], document: object, **options: Any) -> Collection:
            mine = (one for one in rows if one.document_id == document)
            return Collection(mine, lambda one: one.position_id, ("positionId",), **options)

        def across(rows: Iterable[Any], position: object) -> Collection:
            mine = (one for one in rows if one.position_id == position)
            return Collection(mine, lambda one: one.document_id, ("documentId",), paged=True)

        def capital(document: object) -> Collection:
            def sort(one: Any) -> str:
                if isinstance(one, fund.CapitalCall):
                    return f"CAPITAL_CALL#{one.position_id}"
                return f"CAPITAL_ACTIVITY#{getattr(one, 'dated', 'LATEST')}"

            rows = (one for one in (*activities, *past, *calls) if one.document_id == document)
            return Collection(rows, sort)

        def all_kinds(position: object) -> Collection:
            def sort(one: Any) -> str:
                kind = next(kind for kind, rows in kinds.items() if one in rows)
                return f"{kind}#{one.document_id}"

            return Collection(
                (one for one in held if one.position_id == position), sort, paged=True
            )

        def one_of(rows: Iterable[Any], a: dict[str, Any]) -> object:
            document, position = key_text(a["documentId"]), key_text(a["positionId"])
            return first(rows, document_id=document, position_id=position)

        def of_position(rows: Sequence[Any], position: fund.Position) -> list[Any]:
            """A position's items of one kind: there is one at most."""
            found = first(rows, document_id=position.document_id, position_id=position.position_id)
            return [] if found is None else [found]

        def amount(rows: Iterable[Any]) -> Decimal:
            return sum((one.amount for one in rows), Decimal(0))

        def position(document: Any, id: Any) -> fund.Position:
            return fund.Position(document_id=document, position_id=id)

        def several(rows: Sequence[Any], a: dict[str, Any]) -> list[object]:
            return [first(rows, document_id=id) for id in map(key_text, a["documentIds"])]

        def by_key(name: str, rows: Sequence[Any]) -> dict[str, Resolver]:
            return {
                f"Query.{name}": lambda _, a: one_of(rows, a),
                f"Query.{name}sByDocumentId": lambda _, a: positioned(
                    rows, key_text(a["documentId"]), paged=True
                ),
                f"Query.{name}sByPositionId": lambda _, a: across(rows, key_text(a["positionId"])),
            }

        def in_position(names: tuple[str, str, str], rows: Sequence[Any]) -> dict[str, Resolver]:
            listed, count, total = names
            return {
                f"Position.{listed}": lambda one, _: of_position(rows, one),
                f"Position.{count}": lambda one, _: len(of_position(rows, one)),
                f"Position.{total}": lambda one, _: amount(of_position(rows, one)),
            }

        fields: dict[str, Resolver] = {
            "Query.capital": lambda _, a: capital(key_text(a["documentId"])),
            "Query.positionItems": lambda _, a: all_kinds(key_text(a["positionId"])),
            "Query.capitalCallIn": lambda _, a: one_of(calls, a),
            "Query.document": lambda _, a: first(documents, document_id=key_text(a["documentId"])),
            "Query.documents": lambda _, a: several(documents, a),
            "Query.documentVersion": lambda _, a: first(
                versions, document_id=key_text(a["documentId"]), dated=a["dated"]
            ),
            "Query.documentVersionsByDocumentId": lambda _, a: dated(
                versions, key_text(a["documentId"]), paged=True
            ),
            "Query.capitalActivity": lambda _, a: first(
                activities, document_id=key_text(a["documentId"])
            ),
            "Query.capitalActivities": lambda _, a: several(activities, a),
            "Query.capitalActivityVersion": lambda _, a: first(
                past, document_id=key_text(a["documentId"]), dated=a["dated"]
            ),
            "Query.capitalActivityVersionsByDocumentId": lambda _, a: dated(
                past, key_text(a["documentId"]), paged=True
            ),
            "Query.position": lambda _, a: position(
                key_text(a["documentId"]), key_text(a["positionId"])
            ),
            "Query.node": lambda _, a: node(a["nodeId"]),
            "Document.history": lambda one, _: dated(versions, one.document_id, newest_first=True),
            "Document.activity": lambda one, _: first(activities, document_id=one.document_id),
            "Document.pastActivities": lambda one, _: dated(
                past, one.document_id, newest_first=True
            ),
            "Document.capital": lambda one, _: capital(one.document_id),
            "Document.calls": lambda one, _: positioned(calls, one.document_id),
            "Document.distributions": lambda one, _: positioned(distributions, one.document_id),
            "Document.unfundedCommitments": lambda one, _: positioned(commitments, one.document_id),
            "Document.positions": lambda one, _: [
                position(one.document_id, id)
                for id in sorted({a.position_id for a in held if a.document_id == one.document_id})
            ],
            "Document.called": lambda one, _: amount(
                call for call in calls if call.document_id == one.document_id
            ),
        }
        for name, rows in (
            ("capitalCall", calls),
            ("distribution", distributions),
            ("unfundedCommitment", commitments),
        ):
            fields |= by_key(name, rows)
        for names, rows in (
            (("calls", "callCount", "called"), calls),
            (("distributions", "distributionCount", "distributed"), distributions),
            (("unfundedCommitments", "commitmentCount", "unfunded"), commitments),
        ):
            fields |= in_position(names, rows)
        oracle = Oracle(
            self.gateway,
            fields,
            [
                Place(fund.Document, lambda one: [one.document_id]),
                Place(fund.CapitalActivity, lambda one: [one.document_id]),
                Place(fund.DocumentVersion, lambda one: [one.document_id, str(one.dated)]),
                Place(fund.CapitalActivityVersion, lambda one: [one.document_id, str(one.dated)]),
                *(
                    Place(kind, lambda one: [one.document_id, one.position_id])
                    for kind in (fund.CapitalCall, fund.Distribution, fund.UnfundedCommitment)
                ),
            ],
        )
        node = nodes(oracle, self.homes, self.homes)
        return oracle
