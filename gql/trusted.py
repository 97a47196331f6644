"""Trusted documents: operations that clients name by an id, from a file or sent before."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, cast

import orjson
from graphql import GraphQLError

from ..store.errors import BadInput, ModelError
from .asked import Asked
from .documents import Documents

SENT_KEPT = 1_000
SENT_CHARACTERS = 5_000_000


class DocumentUnknown(BadInput):
    """Clients with automatic persisted queries send the whole document when they meet this."""

    code = "PERSISTED_QUERY_NOT_FOUND"


@dataclass(slots=True)
class Trusted:
    """`known` comes from a file; with `only`, nothing else is served.

    Otherwise documents that are sent along with their hash are kept, the last used ones.
    """

    known: Mapping[str, str] = field(default_factory=dict[str, str])
    only: bool = False
    _sent: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])
    _characters: int = 0
    _lock: Lock = field(default_factory=Lock)

    def document(self, asked: Asked) -> str:
        """The text to run. DocumentUnknown or BadInput where there is none."""
        name = asked.document_id or _hash_of(asked)
        if name is None:
            return self._plain(asked.query)
        known = self._find(name)
        if not asked.query:
            if known is None:
                # This very message is what some clients look for.
                raise DocumentUnknown("PersistedQueryNotFound")
            return known
        if known is None and hashlib.sha256(asked.query.encode()).hexdigest() == _bare(name):
            known = self._plain(asked.query)
            self._keep(_bare(name), known)
        if known != asked.query:
            raise BadInput("The document is not that of the id or hash sent along with it.")
        return asked.query

    def is_known(self, text: str) -> bool:
        return text in self.known.values() if self.known else False

    def _plain(self, query: str) -> str:
        if not query:
            raise BadInput('"query" is missing.')
        if self.only and not self.is_known(query):
            raise BadInput("Only documents that are registered here are served. Send a documentId.")
        return query

    def _find(self, name: str) -> str | None:
        if (text := self.known.get(name)) is None and (text := self.known.get(_bare(name))) is None:
            with self._lock:
                if (text := self._sent.get(_bare(name))) is not None:
                    self._sent.move_to_end(_bare(name))
        return text

    def _keep(self, name: str, text: str) -> None:
        with self._lock:
            if name in self._sent:
                return
            self._sent[name] = text
            self._characters += len(text)
            while len(self._sent) > SENT_KEPT or self._characters > SENT_CHARACTERS:
                _, dropped = self._sent.popitem(last=False)
                self._characters -= len(dropped)


def _bare(name: str) -> str:
    return name.removeprefix("sha256:").lower()


def _hash_of(asked: Asked) -> str | None:
    """Apollo's automatic persisted queries."""
    persisted: Any = asked.extensions.get("persistedQuery")
    if persisted is None:
        return None
    sent = cast("dict[str, Any]", persisted) if isinstance(persisted, dict) else {}
    name = sent.get("sha256Hash")
    if sent.get("version") != 1 or not isinstance(name, str):
        raise BadInput('extensions.persistedQuery must be {"version": 1, "sha256Hash": "…"}.')
    return name


def read_documents(path: Path) -> dict[str, str]:
    """Documents by id: a plain JSON object (Relay, codegen), or Apollo's manifest."""
    try:
        held: Any = orjson.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"The trusted documents cannot be read: {error}.") from error
    except orjson.JSONDecodeError as error:
        raise ModelError(f"{path.name} is not JSON: {error}.") from error
    documents = _by_id(held)
    if not documents or not all(isinstance(text, str) for text in documents.values()):
        raise ModelError(
            f"{path.name} holds no documents.\n"
            '  Write {"id": "query …"}, or the manifest that Apollo\'s tools generate.'
        )
    return documents


def _by_id(held: Any) -> dict[str, Any]:
    if not isinstance(held, dict):
        return {}
    documents = cast("dict[str, Any]", held)
    if not isinstance(documents.get("operations"), list):
        return documents
    manifest: list[dict[str, Any]] = documents["operations"]
    return {str(one.get("id")): one.get("body") for one in manifest}


def trust_documents(known: Mapping[str, str], documents: Documents, name: str) -> None:
    """ModelError for a document that this schema would refuse."""
    for key, text in known.items():
        try:
            errors = documents.trust(text).errors
        except (GraphQLError, BadInput) as error:
            raise ModelError(f"{name}: document {key} is refused.\n  {error}") from error
        if errors:
            raise ModelError(f"{name}: document {key} is refused.\n  {errors[0].message}")
