"""Any writes, in any order: the table holds what it should, and a refused write changed nothing."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.properties.effort import effort
from tests.writes.drawn import changes, single, together
from tests.writes.sending import Op
from tests.writes.stage import Stage
from tests.writes.world import Create

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

STEPS = 30


class Writing(RuleBasedStateMachine):
    stage: Stage

    def __init__(self) -> None:
        super().__init__()
        self.stage.empty()
        self.keyed: list[Op] = []
        self.count = 0

    def _fresh_key(self) -> str:
        self.count += 1
        return f"key {self.count}"

    @rule(data=st.data())
    def mutate(self, data: st.DataObject) -> None:
        self.stage.write(data.draw(single(self.stage.world)))

    @rule(data=st.data())
    def transact(self, data: st.DataObject) -> None:
        self.stage.write(data.draw(together(self.stage.world)))

    @rule(data=st.data(), through=st.sampled_from([single, together]))
    def write_under_a_key(self, data: st.DataObject, through: object) -> None:
        made = single if through is single else together
        op = data.draw(made(self.stage.world, self._fresh_key()))
        answer = self.stage.write(op)
        if answer.code is None and answer.changed:
            self.keyed.append(op)

    @precondition(lambda self: bool(self.keyed))
    @rule(data=st.data())
    def write_it_again(self, data: st.DataObject) -> None:
        self.stage.write(data.draw(st.sampled_from(self.keyed)))

    @precondition(lambda self: bool(self.keyed))
    @rule(data=st.data())
    def write_something_else_under_a_used_key(self, data: st.DataObject) -> None:
        used = data.draw(st.sampled_from(self.keyed)).idempotency_key
        change = data.draw(changes(self.stage.world, plain=False).filter(_may_be_sent))
        self.stage.write(Op((change,), "transaction", used))

    @rule(data=st.data(), second=st.sampled_from([single, together]))
    def write_while_another_does(self, data: st.DataObject, second: object) -> None:
        """What was read has changed when the write is sent."""
        other = single if second is single else together
        op = data.draw(single(self.stage.world))
        self.stage.write(op, between=[data.draw(other(self.stage.world))])

    @precondition(lambda self: bool(self.stage.world.things))
    @rule(data=st.data())
    def another_program_writes(self, data: st.DataObject) -> None:
        things = sorted(self.stage.world.things.values(), key=lambda thing: thing.home)
        thing = data.draw(st.sampled_from(things))
        could = [
            name
            for name, reads_as in (("version", 1), ("n", 0), ("stock", 0), ("label", "none"))
            if thing.kind != "DocPast" and thing.values.get(name, ...) == reads_as
        ]
        absent = data.draw(st.sets(st.sampled_from(could))) if could else set[str]()
        extra = data.draw(
            st.dictionaries(st.sampled_from(["legacy", "ttl"]), st.text(min_size=1, max_size=2))
        )
        self.stage.tamper(thing, extra=extra, absent=frozenset(absent))


def _may_be_sent(change: object) -> bool:
    """What is bad input is refused before anybody looks at its key."""
    return isinstance(change, Create) and all(value != -1 for value in change.values.values())


def test_the_table_holds_what_was_written_and_nothing_else(stage: Stage) -> None:
    writing = type("Writing", (Writing,), {"stage": stage})
    few_or_many = effort(few=15, many=400)
    run_state_machine_as_test(writing, settings=settings(few_or_many, stateful_step_count=STEPS))
    print(f"{stage.steps} writes")
