"""GraphQL over HTTP as graphql-http audits it."""

import pytest

from tests.clients.scripts import node_script

pytestmark = pytest.mark.engines("dynoxide")

AUDITS = 61  # of the version that is locked


def test_every_audit_of_graphql_http_passes(address: str):
    audits = node_script("audit.mjs", address=address)["audits"]

    assert len({audit["id"] for audit in audits}) == AUDITS
    assert [
        f"{audit['id']} {audit['name']}: {audit['status']}, {audit['reason']}"
        for audit in audits
        if audit["status"] != "ok"
    ] == []
