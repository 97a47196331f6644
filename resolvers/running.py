"""Running an operation: fields ask, wave by wave, and park what they find on their objects.

Each field is a process: a generator that yields asks, is sent their answers, and returns the
field's value. All asks of a wave go to the loader together. What a child's key needs is often
known from its parent's arguments; such children are asked for ahead, in their parent's wave.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..loaders.asks import Answer, Ask, Found
from ..loaders.fanout import merge
from ..store.errors import BadInput, CollectionTooLarge, ItemInvalid, TablefoldError
from .aggregating import aggregate
from .asking import Asking, Values
from .completing import completed
from .faults import fault_of_item
from .framing import Frame
from .links import Link
from .nodes import parse_node_id
from .paging import PageSizes, assemble
from .paths import check_group, is_descending
from .selection import Selected, Selector

log = logging.getLogger("tablefold")

PARKED = "__parked__"
Parked = dict[int, tuple[Selected, object]]
"""Values by the field node they are for; `paths` of the selection tell where they belong."""

Process = Generator[list[Ask], list[Answer], object]
Place = Callable[[object], None]


class Asker(Protocol):
    def known(self, ask: Ask) -> Answer | None: ...

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]: ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """A process that has asked, where its value goes, and what to ask ahead along with it."""

    process: Process
    place: Place
    asks: list[Ask]
    ahead: list[Ask]


@dataclass(slots=True)
class Runner:
    asker: Asker
    asking: Asking
    _waiting: list[Waiting] = field(default_factory=list[Waiting])

    @classmethod
    def over(cls, asker: Asker, frame: Frame, selector: Selector) -> Runner:
        return cls(asker, Asking(frame, selector))

    @property
    def frame(self) -> Frame:
        return self.asking.frame

    async def run(self, fields: Iterable[tuple[Selected, Values | None, Place]]) -> None:
        """Starts the fields together; returns when all that is under them has been placed."""
        for selected, source, place in fields:
            self._begin(selected, source, place, times=1)
        self._serve_known()
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            asks = [ask for one in waiting for ask in one.asks]
            # What is under a field that needs no request is asked for by itself, or not at all.
            ahead = [ask for one in waiting for ask in one.ahead]
            answers = await self.asker.ask([*asks, *ahead])
            at = 0
            for one in waiting:
                self._go_on(one, answers[at : at + len(one.asks)])
                at += len(one.asks)
            self._serve_known()

    def _serve_known(self) -> None:
        """Lets every process go on that needs no request, so that the next wave is complete."""
        held: list[Waiting] = []
        for one in self._waiting:  # going on may add to it
            known = [self.asker.known(ask) for ask in one.asks]
            answers = [answer for answer in known if answer is not None]
            if len(answers) == len(one.asks):
                self._go_on(one, answers)
            else:
                held.append(one)
        self._waiting = held

    def _begin(
        self,
        selected: Selected,
        source: Values | None,
        place: Place,
        *,
        times: int,
        found: Found | None = None,
    ) -> None:
        """`source` None is the root: the field's arguments take the place of its values.

        `found` is the item that the source's values were read from.
        """
        try:
            values = self.asking.root_values(selected) if source is None else source
            if source is not None and _leads_nowhere(selected.link, source):
                place([] if selected.link.whole and selected.link.aggregate is None else None)
                return
            process = self._process(selected, values, times)
            ahead = list(self.asking.ahead(selected, values, times))
            self._waiting.append(Waiting(process, place, next(process), ahead))
        except StopIteration as end:
            place(end.value)
        except (BadInput, ItemInvalid) as error:
            fault = None if source is None else fault_of_item(selected.link, source, found)
            place(fault or error)
        except Exception as error:
            place(error)

    def _go_on(self, one: Waiting, answers: list[Answer]) -> None:
        try:
            asks = one.process.send(answers)
        except StopIteration as end:
            one.place(end.value)
        except Exception as error:  # one field's failure leaves the others alone
            one.place(error)
        else:
            self._waiting.append(Waiting(one.process, one.place, asks, []))

    # Processes: one for each kind of link.

    def _process(self, selected: Selected, values: Values, times: int) -> Process:
        if selected.link.aggregate is not None:
            return self._aggregate(selected, values, times)
        match selected.link.kind:
            case "one":
                return self._one(selected, values, times)
            case "list":
                return self._list(selected, values, times)
            case "connection":
                return self._connection(selected, values, times)
            case "keys":
                return self._keys(selected, times)
            case "groups":
                return self._groups(selected, values, times)
            case "group":
                return self._group(selected, values, times)
            case "node":
                return self._node(selected, times)

    def _one(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self.asking.asks(selected, values, times)
        founds = self._merged(selected, answers)[:1]
        if not founds and any(answer.stopped is not None for answer in answers):
            raise CollectionTooLarge(
                f"{selected.dotted}: only items that the model does not know were found, and "
                "more of them follow. Give the entity a key of its own."
            )
        nodes = yield from self._nodes(selected, founds, times)
        return nodes[0] if nodes else None

    def _list(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self.asking.asks(selected, values, times)
        founds = self._merged(selected, answers)
        _tell_outgrown(selected.link, len(founds))
        return (yield from self._nodes(selected, founds, times))

    def _merged(self, selected: Selected, answers: list[Answer]) -> list[Found]:
        """The items of all shards, in the order of the list."""
        founds = _found(answers)
        if len(answers) == 1:
            return founds
        link = selected.link
        descending = is_descending(link, self.asking.arguments(selected))
        placed = merge(answers, index=link.index, descending=descending, backward=False)
        return [one.found for one in placed]

    def _connection(self, selected: Selected, values: Values, times: int) -> Process:
        paging = self.asking.paging(selected, values)
        answers = yield self.asking.asks(selected, values, times)
        _found(answers)
        stretched = assemble(
            paging.cursors,
            answers,
            count=paging.part.count,
            descending=paging.descending,
            backward=paging.part.backward,
        )
        founds = [placed.found for placed in stretched.items]
        nodes = yield from self._nodes(selected, founds, times)
        return paging.page(stretched, nodes)

    def _keys(self, selected: Selected, times: int) -> Process:
        """In the order of the keys, None where there is no item, an error where it failed."""
        answers = yield list(self.asking.key_asks(selected, times))
        held = [answer.error or (answer.items[0] if answer.items else None) for answer in answers]
        founds = [one for one in held if isinstance(one, Found)]
        nodes = iter((yield from self._nodes(selected, founds, times)))
        return [next(nodes) if isinstance(one, Found) else one for one in held]

    def _node(self, selected: Selected, times: int) -> Process:
        node_id = str(self.asking.arguments(selected)["nodeId"])
        entity, values = parse_node_id(self.frame.layout, node_id)
        link = selected.link.by_type[entity.name]
        return (yield from self._one(replace(selected, link=link), values, times))

    def _aggregate(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self.asking.asks(selected, values, times)
        rows = [self._read(selected, found) for found in _found(answers)]
        what = selected.link.aggregate
        return None if what is None else aggregate(what, rows)

    def _group(self, selected: Selected, values: Values, times: int) -> Process:
        """A group has no item: it is there as soon as somebody names it."""
        yield from ()
        group = selected.link.group
        if group is None:
            return None
        check_group(self.frame.layout, group, values)
        return self._instance(selected, group.name, group.cls, dict(values), times)

    def _groups(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self.asking.asks(selected, values, times)
        group = selected.link.group
        if group is None:
            return None
        shared = _shared_values(selected.link, values)
        texts = {one.name: one for one in selected.link.key.sort.placeholders}
        rows: dict[tuple[str, ...], dict[str, object]] = {}
        for found in _found(answers):
            own = {name: found.parsed[name] for name in group.by}
            # As they are written in keys, values sort as they should: 9 comes before 10.
            key = tuple(texts[name].write(value) for name, value in own.items())
            rows.setdefault(key, {**shared, **own})
        expected = times * _expected(selected, {}, self.frame.sizes)
        return [
            self._instance(selected, group.name, group.cls, rows[key], expected)
            for key in sorted(rows)
        ]

    # Objects.

    def _nodes(
        self, selected: Selected, founds: Sequence[Found], times: int
    ) -> Generator[list[Ask], list[Answer], list[object]]:
        """Objects for items, completed from their home items where a copy does not suffice."""
        arguments = self.asking.arguments(selected)
        expected = times * _expected(selected, arguments, self.frame.sizes)
        whole = yield from self._hydrated(selected, founds, expected)
        return [self._object(selected, found, expected) for found in whole]

    def _hydrated(
        self, selected: Selected, founds: Sequence[Found], times: int
    ) -> Generator[list[Ask], list[Answer], list[Found | Exception]]:
        """An item whose home cannot be had is an error in its own place."""
        whole: list[Found | Exception] = list(founds)
        asks: dict[int, Ask] = {}
        for at, found in enumerate(founds):
            try:
                ask = self.asking.home_ask(selected, found, times)
            except TablefoldError as error:  # no home can be told: the others have theirs
                whole[at] = error
                continue
            if ask is not None:
                asks[at] = ask
        if asks:
            answers = yield list(asks.values())
            for at, answer in zip(asks, answers, strict=True):
                if answer.error is not None:
                    whole[at] = answer.error
                for home in answer.items:
                    whole[at] = completed(founds[at], home)
        return whole

    def _object(self, selected: Selected, found: Found | Exception, times: int) -> object:
        """An item that does not fit its entity is an error in its own place."""
        if isinstance(found, Exception):
            return found
        entity = found.member.entity
        try:
            values = self._read(selected, found)
        except Exception as error:  # a nested type's own constructor may raise anything
            return error
        return self._instance(selected, entity.name, entity.cls, values, times, found)

    def _read(self, selected: Selected, found: Found) -> dict[str, object]:
        entity = found.member.entity
        names = self.frame.names(entity, selected.needs.get(entity.name, ()))
        home = self.frame.layout.home.names
        return entity.read(found.item, found.parsed, names, home=home)

    def _instance(
        self,
        selected: Selected,
        name: str,
        cls: type[object],
        values: dict[str, object],
        times: int,
        found: Found | None = None,
    ) -> object:
        instance = object.__new__(cls)
        parked: Parked = {}
        vars(instance).update({**values, PARKED: parked})
        for child in selected.under(name):
            if not child.guarded:
                self._begin(child, values, parking(parked, child), times=times, found=found)
        return instance


def _tell_outgrown(link: Link, count: int) -> None:
    if link.bounded is not None and count > link.bounded and not link.outgrown:
        link.outgrown = True
        log.warning(
            "%s holds %d items, though it is declared bounded=%d. It is read all the same; plans "
            "and prices are too low. Raise the bound, or make it a Connection.",
            *(link.name, count, link.bounded),
        )


def parking(places: Parked, selected: Selected) -> Place:
    def place(value: object) -> None:
        places[id(selected.node)] = (selected, value)

    return place


def _leads_nowhere(link: Link, values: Values) -> bool:
    """An optional attribute without a value, such as the product of a line that has none."""
    return any(values.get(name) is None for name in link.origins)


def _found(answers: Iterable[Answer]) -> list[Found]:
    found: list[Found] = []
    for answer in answers:
        if answer.error is not None:
            raise answer.error
        found.extend(answer.items)
    return found


def _shared_values(link: Link, values: Values) -> dict[str, object]:
    """What a group has from its partition."""
    if link.group is None:
        return {}
    names = link.key.partition.unify(link.group.partition) or {}
    binding = link.reaches[0].binding
    return {name: values[binding[own]] for own, name in names.items()}


def _expected(selected: Selected, arguments: Values, sizes: PageSizes) -> int:
    """How many objects a plan counts on."""
    link = selected.link
    if link.kind == "connection":
        count = arguments.get("first") or arguments.get("last") or sizes.default
        return count if isinstance(count, int) else sizes.default
    if link.kind in ("list", "groups"):
        return link.bounded or 1
    return 1
