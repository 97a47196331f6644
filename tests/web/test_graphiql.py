"""GraphiQL in Chromium, with nothing to reach but the gateway."""

from typing import Any

import pytest

from tests.harness.examples import OPERATIONS

pytestmark = pytest.mark.engines("dynoxide")

Found = dict[str, Any]


def test_nothing_but_the_gateway_is_asked_for_anything(found: Found):
    assert found["outside"] == []


def test_the_console_stays_silent(found: Found):
    assert found["complaints"] == []


def test_nothing_is_wider_than_its_window(found: Found):
    assert found["looks"]["wide"] == []


def test_nobody_is_barred_by_contrast_names_or_roles(found: Found):
    assert found["looks"]["barred"] == []


def test_each_sample_operation_has_a_tab_with_its_variables(found: Found):
    names = [one.name.split("_", 1)[1] for one in OPERATIONS if one.example == "shop"]
    assert [tab.lower() for tab in found["graphiql"]["tabs"]] == [
        name.replace("_", "") for name in names
    ]
    assert found["graphiql"]["firstVariables"] == '{\n  "id": "u_001"\n}'


def test_a_query_runs_and_its_answer_is_shown_without_the_plan(found: Found):
    answer = found["graphiql"]["answer"]
    assert '"name": "Ada Moreau"' in answer
    assert "explain" not in answer


def test_the_plan_shows_that_two_fields_were_one_query(found: Found):
    plan = found["graphiql"]["folded"]
    [request] = plan["requests"]

    assert plan["headline"] == "1 request for 2 fields"
    assert request["serves"] == ["user", "user.orders"]
    assert request["condition"] == "PK = 'USER#u_001' AND SK BETWEEN 'ORDER#' AND 'PROFILE'"
    assert (plan["totals"]["items read"], plan["totals"]["RCU"]) == ("11", "0.5")


def test_the_plan_shows_what_waits_for_what(found: Found):
    plan = found["graphiql"]["waves"]
    query, batch = plan["requests"]

    assert plan["headline"] == "2 requests for 5 fields"
    assert plan["totals"]["waves"] == "2"
    assert query["serves"] == ["order", "order.items", "order.shipping"]
    assert batch["title"].startswith("BatchGetItem")
    assert query["bars"] == batch["bars"] == 1


def test_requests_that_differ_in_their_keys_alone_are_one_line_with_many_bars(found: Found):
    plan = found["graphiql"]["sharded"]
    [shards] = plan["requests"]

    assert plan["headline"] == "8 requests for 1 field"
    assert shards["title"].startswith("8 ×Query")
    assert shards["bars"] == 8


def test_a_mutation_runs_and_the_plan_shows_what_it_did_to_each_item(found: Found):
    writing = found["writing"]
    [request] = writing["plan"]["requests"]

    assert '"name": "Nora Lund"' in writing["created"]
    assert request["title"].startswith("TransactWriteItems")
    assert "Put USER#u_100 / PROFILE" in request["condition"]
    assert "if attribute_not_exists(PK)" in request["condition"]
    assert '"id": "o_1001"' in writing["placed"]


def test_a_mutation_that_is_refused_says_why(found: Found):
    assert "there is one already" in found["writing"]["refused"]


def test_plan_only_reads_nothing(found: Found):
    plan = found["graphiql"]["planned"]

    assert plan["asked"] == [{"explain": "plan"}]
    assert plan["badge"] == "Planned only: nothing was read."
    assert plan["headline"] == "At most 8 requests for 1 field"
    assert plan["totals"]["RCU"] == "≤ 8"


def test_history_and_documentation_are_there(found: Found):
    assert "OrderWithUserAndProducts" in found["graphiql"]["history"]
    assert found["graphiql"]["documented"] == 1


def test_a_copied_link_opens_operation_and_variables_for_somebody_else(found: Found):
    sharing = found["sharing"]

    assert sharing["tab"] == "OrdersBetweenTwoDates"
    assert "query OrdersBetweenTwoDates(" in sharing["operation"]
    assert '"from": "2026-04-01"' in sharing["variables"]
    assert sharing["sent"] == ""  # after the # no server sees it


def test_an_operation_runs_by_keyboard(found: Found):
    assert found["keyboard"]["ran"] == "1 request for 1 field"
