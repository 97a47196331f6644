"""Running an operation: fields ask, wave by wave, and park what they find on their objects.

Each field is a process: a generator that yields asks, is sent their answers, and returns the
field's value. All asks of a wave go to the loader together. What a child's key needs is often
known from its parent's arguments; such children are asked for ahead, in their parent's wave.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from graphql import GraphQLError

from ..loaders.asks import Answer, Ask, Attributes, Found, Member
from ..store.conditions import Condition
from ..store.cursors import Sealer
from ..store.entities import Entity, Layout
from ..store.errors import BadInput, TablefoldError
from ..store.naming import camel
from ..store.spans import Span
from .aggregating import aggregate
from .asking import Path, access_path, span_of
from .filters import condition
from .links import Link, Reach
from .nodes import parse_node_id
from .pages import Paging
from .paging import Cursors, PageSizes, assemble, stretch
from .selection import EVERYTHING, Selected, Selector

KEYS_MAX = 1_000
"""How many keys one field may name."""

PARKED = "__parked__"

Values = Mapping[str, object]
Process = Generator[list[Ask], list[Answer], object]
Place = Callable[[object], None]


class Asker(Protocol):
    def known(self, ask: Ask) -> Answer | None: ...

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]: ...


@dataclass(slots=True)
class Frame:
    """What holds for a whole operation."""

    layout: Layout
    sealer: Sealer
    viewer: str = ""
    sizes: PageSizes = field(default_factory=PageSizes)
    needs: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    """Attributes by entity, over all of the operation: an item is read once, for everyone."""
    _projections: dict[Member, Attributes] = field(default_factory=dict[Member, Attributes])

    def learn(self, selected: Iterable[Selected]) -> None:
        """Takes in what a selection needs, before anything of it is read."""
        for one in selected:
            for name, needs in one.needs.items():
                self.needs.setdefault(name, set()).update(needs)
            for children in one.children.values():
                self.learn(children.values())
        self._projections.clear()

    def names(self, entity: Entity, needs: Iterable[str]) -> list[str]:
        wanted = set(needs)
        if EVERYTHING in wanted:
            return list(entity.attributes)
        return [name for name in entity.attributes if name in wanted]

    def projection(self, member: Member) -> Attributes:
        """The stored names to ask for where `member` is read."""
        if (known := self._projections.get(member)) is None:
            known = self._projections[member] = self._project(member)
        return known

    def _project(self, member: Member) -> Attributes:
        entity, key = member.entity, member.key
        needs = self.needs.get(entity.name, set())
        if EVERYTHING in needs and key.index.projected is None:
            return frozenset()
        carries = entity.carried(key)
        names = [name for name in self.names(entity, needs) if carries(name)]
        stored = {stored for name in names for stored in entity.stored(name)}
        if key.index.projected is not None:
            stored &= key.index.projected
        if entity.type_attribute is not None and (
            key.index.projected is None or entity.type_attribute in key.index.projected
        ):
            stored.add(entity.type_attribute)
        return frozenset((*stored, self.layout.home.names.partition))


@dataclass(slots=True)
class Runner:
    """Runs selected fields over sources; `times` is how often a plan expects a field to occur."""

    asker: Asker
    frame: Frame
    selector: Selector
    _waiting: list[tuple[Process, Place, list[Ask]]] = field(
        default_factory=list[tuple[Process, Place, list[Ask]]]
    )
    _ahead: list[Ask] = field(default_factory=list[Ask])
    _arguments: dict[int, Values] = field(default_factory=dict[int, Values])

    async def run(self, fields: Iterable[tuple[Selected, Values | None, Place]]) -> None:
        """Starts the fields together and returns when all that is under them has been placed."""
        for selected, source, place in fields:
            self.begin(selected, source, place, times=1)
        self._serve_known()
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            ahead, self._ahead = self._ahead, []
            asks = [ask for _, _, own in waiting for ask in own]
            answers = await self.asker.ask([*asks, *ahead])
            at = 0
            for process, place, own in waiting:
                self._go_on(process, place, answers[at : at + len(own)])
                at += len(own)
            self._serve_known()

    def _serve_known(self) -> None:
        """Lets every process go on that needs no request, so that the next wave is complete."""
        held: list[tuple[Process, Place, list[Ask]]] = []
        at = 0
        while at < len(self._waiting):  # going on may add to it
            process, place, own = self._waiting[at]
            known = [self.asker.known(ask) for ask in own]
            answers = [answer for answer in known if answer is not None]
            if len(answers) == len(own):
                self._go_on(process, place, answers)
            else:
                held.append((process, place, own))
            at += 1
        self._waiting = held

    def begin(
        self, selected: Selected, source: Values | None, place: Place, *, times: int
    ) -> None:
        """`source` None is the root: the field's arguments take the place of its values."""
        try:
            values = self.arguments_as_values(selected) if source is None else source
            process = self._process(selected, values, times)
            self._ahead.extend(self._predict(selected, values, times))
        except Exception as error:
            place(error)
            return
        self._go_on(process, place, None)

    def _go_on(self, process: Process, place: Place, answers: list[Answer] | None) -> None:
        try:
            asks = next(process) if answers is None else process.send(answers)
        except StopIteration as end:
            place(end.value)
        except Exception as error:  # one field's failure leaves the others alone
            place(error)
        else:
            self._waiting.append((process, place, asks))

    # Arguments.

    def arguments(self, selected: Selected) -> Values:
        if (known := self._arguments.get(id(selected))) is None:
            known = self._arguments[id(selected)] = self.selector.arguments(selected)
        return known

    def arguments_as_values(self, selected: Selected) -> Values:
        arguments = self.arguments(selected)
        return {
            name: arguments[camel(name)]
            for name in selected.link.origins
            if camel(name) in arguments
        }

    # Processes: one for each kind of link.

    def _process(self, selected: Selected, values: Values, times: int) -> Process:
        link = selected.link
        if link.aggregate is not None:
            return self._aggregate(selected, values, times)
        match link.kind:
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
        asks = self._asks(selected, values, times)
        answers = yield asks
        founds = [found for answer in answers for found in _items(answer)][:1]
        nodes = yield from self._nodes(selected, founds, times)
        return nodes[0] if nodes else None

    def _list(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self._asks(selected, values, times)
        founds = [found for answer in answers for found in _items(answer)]
        return (yield from self._nodes(selected, founds, times))

    def _aggregate(self, selected: Selected, values: Values, times: int) -> Process:
        answers = yield self._asks(selected, values, times)
        what = selected.link.aggregate
        rows: list[Values] = []
        for answer in answers:
            for found in _items(answer):
                rows.append(self._read(selected, found))
        return aggregate(what, rows) if what is not None else None

    def _keys(self, selected: Selected, times: int) -> Process:
        asks = [
            ask
            for values in self._key_values(selected)
            for ask in self._asks(selected, values, times)
        ]
        answers = yield asks
        places = [_first(answer) for answer in answers]
        nodes = yield from self._nodes(
            selected, [found for found in places if isinstance(found, Found)], times
        )
        remaining = iter(nodes)
        return [next(remaining) if isinstance(found, Found) else found for found in places]

    def _key_values(self, selected: Selected) -> Iterator[Values]:
        [name] = selected.link.reaches[0].binding
        plural, given = next(iter(self.arguments(selected).items()))
        keys = cast("list[object]", given)
        if len(keys) > KEYS_MAX:
            raise BadInput(
                f"{plural}: {len(keys):,} are too many; one field takes at most {KEYS_MAX:,}."
            )
        for key in keys:
            yield {name: key}

    def _node(self, selected: Selected, times: int) -> Process:
        node_id = str(self.arguments(selected)["nodeId"])
        entity, values = parse_node_id(self.frame.layout, node_id)
        link = selected.link.by_type[entity.name]
        return (yield from self._one(_as(selected, link), values, times))

    def _group(self, selected: Selected, values: Values, times: int) -> Process:
        """A group has no item: it is there as soon as somebody names it."""
        yield from ()
        group = selected.link.group
        if group is None:
            return None
        return self._instance(selected, group.name, group.cls, dict(values), times)

    def _groups(self, selected: Selected, values: Values, times: int) -> Process:
        link, group = selected.link, selected.link.group
        answers = yield self._asks(selected, values, times)
        if group is None:
            return None
        known = {
            name: values[link.reaches[0].binding[own]]
            for own, name in (link.key.partition.unify(group.partition) or {}).items()
        }
        rows: dict[tuple[object, ...], dict[str, object]] = {}
        for answer in answers:
            for found in _items(answer):
                row = {**known, **{name: found.parsed[name] for name in group.by}}
                rows.setdefault(tuple(str(row[name]) for name in group.by), row)
        count = times * max(len(rows), 1)
        return [
            self._instance(selected, group.name, group.cls, rows[row], count)
            for row in sorted(rows)
        ]

    def _connection(self, selected: Selected, values: Values, times: int) -> Process:
        paging = self._paging(selected, values)
        answers = yield self._page_asks(selected, paging, times)
        for answer in answers:
            _items(answer)
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

    # Asks.

    def _asks(
        self, selected: Selected, values: Values, times: int
    ) -> list[Ask]:
        if selected.link.kind == "connection" and selected.link.aggregate is None:
            return self._page_asks(selected, self._paging(selected, values), times)
        link, arguments = selected.link, self.arguments(selected)
        path = access_path(link, values, arguments)
        reach = link.reaches[0]
        first_only = link.kind in ("one", "node") and not (
            reach.pinned and link.index.name is None
        )
        base = self._ask(selected, path, times)
        if first_only:
            base = replace(base, limit=1, bound=None)
        return [replace(base, partition=partition) for partition in path.partitions]

    def _paging(self, selected: Selected, values: Values) -> Paging:
        link, arguments = selected.link, self.arguments(selected)
        path = access_path(link, values, arguments)
        part = stretch(arguments, self.frame.sizes)
        where = self._filter(link, arguments)
        cursors = Cursors.of(
            self.frame.sealer,
            field=link.name,
            index=link.index,
            home=self.frame.layout.home,
            path=path,
            filter=where,
            viewer=self.frame.viewer,
        )
        position = None if part.cursor is None else cursors.open(part.cursor)
        return Paging(cursors, part, position, where)

    def _page_asks(self, selected: Selected, paging: Paging, times: int) -> list[Ask]:
        path, part = paging.cursors.path, paging.part
        probes = selected.wants.previous if part.backward else selected.wants.next
        base = replace(
            self._ask(selected, path, times),
            descending=paging.descending,
            limit=part.count + (1 if probes else 0),
            filter=paging.where,
            bound=None,
        )
        return [
            replace(base, partition=partition, span=resumed.span, start=resumed.start)
            for partition, resumed in zip(path.partitions, paging.resumptions(), strict=True)
        ]

    def _ask(self, selected: Selected, path: Path, times: int) -> Ask:
        link = selected.link
        attributes = frozenset[str]()
        for member in link.members:
            wanted = self.frame.projection(member)
            if not wanted:
                attributes = wanted
                break
            attributes |= wanted
        return Ask(
            link.index,
            path.partitions[0],
            path.span,
            link.members,
            attributes,
            path.descending,
            bound=1 if path.span.single else _bound(link),
            residents=link.residents,
            serves=(selected.dotted,),
            times=times,
        )

    def _filter(self, link: Link, arguments: Values) -> Condition | None:
        if not link.filters:
            return None
        return condition(link.reaches[0].member.entity, link.filters, arguments.get("where"))

    # Asking ahead.

    def _predict(self, selected: Selected, values: Values, times: int) -> Iterator[Ask]:
        """What will be asked under this field, as far as its own values tell."""
        if selected.link.kind in ("node", "group") or selected.link.aggregate is not None:
            return
        sources = [values]
        if selected.link.kind == "keys":
            sources = list(self._key_values(selected))
        for source in sources:
            for reach in selected.link.reaches:
                yield from self._predict_under(selected, reach, source, times)

    def _predict_under(
        self, selected: Selected, reach: Reach, values: Values, times: int
    ) -> Iterator[Ask]:
        known = reach.fill(values)
        for child in selected.under(reach.member.entity.name):
            link = child.link
            if child.guarded or not link.reaches:
                continue
            try:
                if link.origins <= known.keys():
                    if link.kind in ("group", "node", "keys"):
                        continue
                    yield from self._asks(child, known, times)
                    yield from self._predict(child, known, times)
                elif selected.link.whole and link.whole and self._in_partition(link, known):
                    yield from self._cover(child, known, times)
            except (TablefoldError, GraphQLError):
                continue  # the field itself will say so

    def _in_partition(self, link: Link, known: Values) -> bool:
        binding = link.reaches[0].binding
        return all(binding[name] in known for name in link.key.partition.names)

    def _cover(self, child: Selected, known: Values, times: int) -> Iterator[Ask]:
        """All of a child's collection in its parent's partition, whichever parents there are."""
        link = child.link
        reach = link.reaches[0]
        span = span_of(link, known, {})
        [partition, *more] = reach.member.key.partitions(reach.fill(known))
        if more or link.bounded is None:
            return
        bound = next(
            (
                resident.bound
                for resident in link.residents
                if resident.entity == reach.member.entity.name
            ),
            None,
        )
        if bound is None:
            return
        ask = self._ask(child, Path((partition,), span, False), times)
        yield replace(ask, bound=bound, tentative=True)
        yield from self._predict(child, known, times)

    # Objects.

    def _nodes(
        self, selected: Selected, founds: Sequence[Found], times: int
    ) -> Generator[list[Ask], list[Answer], list[object]]:
        """Objects for items, completed from their home items where the copy does not suffice."""
        completed = yield from self._hydrated(selected, founds, times)
        expected = _expected(selected, self.arguments(selected), self.frame.sizes)
        return [self._object(selected, found, times * expected) for found in completed]

    def _object(self, selected: Selected, found: Found, times: int) -> object:
        entity = found.member.entity
        try:
            values = self._read(selected, found)
        except TablefoldError as error:
            return error
        return self._instance(selected, entity.name, entity.cls, values, times)

    def _read(self, selected: Selected, found: Found) -> dict[str, object]:
        entity = found.member.entity
        names = self.frame.names(entity, selected.needs.get(entity.name, ()))
        home = self.frame.layout.home.names
        return entity.read(found.item, found.parsed, names, home=home)

    def _instance(
        self, selected: Selected, name: str, cls: type, values: dict[str, object], times: int
    ) -> object:
        instance = object.__new__(cls)
        instance.__dict__.update(values)
        parked: dict[int, object] = {}
        for child in selected.under(name):
            if not child.guarded:
                self.begin(child, values, _parking(parked, id(child.node)), times=times)
        instance.__dict__[PARKED] = parked
        return instance

    def _hydrated(
        self, selected: Selected, founds: Sequence[Found], times: int
    ) -> Generator[list[Ask], list[Answer], list[Found]]:
        asks: list[Ask] = []
        places: list[int] = []
        for at, found in enumerate(founds):
            if (ask := self._home_ask(selected, found, times)) is not None:
                asks.append(ask)
                places.append(at)
        if not asks:
            return list(founds)
        answers = yield asks
        completed = list(founds)
        for at, answer in zip(places, answers, strict=True):
            found = completed[at]
            for home in _items(answer):
                completed[at] = replace(found, item={**home.item, **found.item})
        return completed

    def _home_ask(self, selected: Selected, found: Found, times: int) -> Ask | None:
        entity, key = found.member.entity, found.member.key
        if key.role == "home":
            return None
        carries = entity.carried(key)
        needs = self.frame.names(entity, selected.needs.get(entity.name, ()))
        if all(carries(name) for name in needs):
            return None
        layout_home = self.frame.layout.home
        known = entity.read(
            found.item, found.parsed, entity.home.names, home=layout_home.names
        )
        partition, sort = entity.home_key(known)
        member = Member(entity, entity.home)
        return Ask(
            layout_home,
            partition,
            Span.exactly(sort),
            (member,),
            self.frame.projection(member),
            bound=1,
            serves=(selected.dotted,),
            times=times,
        )


def _items(answer: Answer) -> tuple[Found, ...]:
    if answer.error is not None:
        raise answer.error
    return answer.items


def _bound(link: Link) -> int | None:
    """Each entity of a group, or of a union, may fill the declared bound."""
    if link.bounded is None or link.kind != "groups":
        return link.bounded
    return link.bounded * len(link.reaches)


def _first(answer: Answer) -> Found | Exception | None:
    if answer.error is not None:
        return answer.error
    return answer.items[0] if answer.items else None


def _parking(parked: dict[int, object], key: int) -> Place:
    def place(value: object) -> None:
        parked[key] = value

    return place


def _as(selected: Selected, link: Link) -> Selected:
    return replace(selected, link=link)


def _expected(selected: Selected, arguments: Values, sizes: PageSizes) -> int:
    """How many objects a plan counts on."""
    link = selected.link
    if link.kind == "connection":
        count = arguments.get("first") or arguments.get("last") or sizes.default
        return count if isinstance(count, int) else sizes.default
    if link.kind in ("list", "groups"):
        return link.bounded or 1
    return 1
