"""From selected fields to asks: those of the fields themselves, and those that will follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from ..loaders.asks import Ask, Found, Member
from ..store.conditions import Condition
from ..store.errors import BadInput
from ..store.naming import camel
from ..store.spans import Span
from ..store.texts import Misfit
from .filters import condition
from .framing import Frame
from .links import Link, Reach
from .pages import Paging
from .paging import Cursors, stretch
from .paths import Path, access_path, span_of
from .selection import Selected, Selector

KEYS_MAX = 1_000
"""How many keys one field may name."""

Values = Mapping[str, object]
Place = tuple[object, ...]
"""A selected field and the values of its source that tell what it asks."""


@dataclass(slots=True)
class Asking:
    """Makes the asks of one run. `times` is how often a plan expects a field to occur."""

    frame: Frame
    selector: Selector
    _arguments: dict[Selected, Values] = field(default_factory=dict[Selected, Values])
    _asks: dict[Place, list[Ask]] = field(default_factory=dict["Place", list[Ask]])
    _pagings: dict[Place, Paging] = field(default_factory=dict["Place", Paging])
    _complete: dict[tuple[Selected, Member], bool] = field(
        default_factory=dict[tuple[Selected, Member], bool]
    )

    def assume(self, selected: Selected, *, count: int) -> None:
        """Lets a page have another length than its arguments say."""
        kept = {name: value for name, value in self.arguments(selected).items() if name != "last"}
        self._arguments[selected] = {**kept, "first": count}

    def arguments(self, selected: Selected) -> Values:
        if (known := self._arguments.get(selected)) is None:
            known = self._arguments[selected] = self.selector.arguments(selected)
        return known

    def root_values(self, selected: Selected) -> Values:
        """At the root, arguments take the place of a source's values."""
        arguments = self.arguments(selected)
        return {
            name: arguments[camel(name)]
            for name in selected.link.origins
            if camel(name) in arguments
        }

    def key_values(self, selected: Selected) -> Iterator[Values]:
        """The values of each key that a field names, such as `users(ids: […])`."""
        [name] = selected.link.reaches[0].binding
        [(plural, given)] = self.arguments(selected).items()
        keys = cast("list[object]", given)
        if len(keys) > KEYS_MAX:
            raise BadInput(
                f"{plural}: {len(keys):,} are too many; one field takes at most {KEYS_MAX:,}."
            )
        for key in keys:
            yield {name: key}

    def key_asks(self, selected: Selected, times: int) -> Iterator[Ask]:
        """BadInput that says which of the keys is at fault."""
        for at, values in enumerate(self.key_values(selected)):
            try:
                yield from self.asks(selected, values, times)
            except BadInput as error:
                [plural] = self.arguments(selected)
                raise BadInput(f"{plural}[{at}]: {error}") from error

    def asks(self, selected: Selected, values: Values, times: int) -> list[Ask]:
        """One ask for each partition that the field reads: the same ones as were asked ahead."""
        place = (*_place(selected, values), times)
        if (known := self._asks.get(place)) is None:
            known = self._asks[place] = self._fresh_asks(selected, values, times)
        return known

    def _fresh_asks(self, selected: Selected, values: Values, times: int) -> list[Ask]:
        link = selected.link
        if link.kind == "connection" and link.aggregate is None:
            return self._page_asks(selected, self.paging(selected, values), times)
        path = access_path(link, values, self.arguments(selected))
        ask = self._ask(selected, path, times)
        if link.kind == "one" and not (link.reaches[0].pinned and link.index.name is None):
            ask = replace(ask, limit=1, bound=None)
        if len(path.partitions) == 1:
            return [ask]
        return [replace(ask, partition=partition) for partition in path.partitions]

    def paging(self, selected: Selected, values: Values) -> Paging:
        place = _place(selected, values)
        if (known := self._pagings.get(place)) is None:
            known = self._pagings[place] = self._fresh_paging(selected, values)
        return known

    def _fresh_paging(self, selected: Selected, values: Values) -> Paging:
        link, arguments = selected.link, self.arguments(selected)
        path = access_path(link, values, arguments)
        part = stretch(arguments, self.frame.sizes)
        where = _filter(link, arguments)
        cursors = Cursors.of(
            self.frame.sealer,
            table=self.frame.table,
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
        """`hasNextPage` takes one item more than is shown, and only where it is selected."""
        path, part = paging.cursors.path, paging.part
        probes = selected.wants.previous if part.backward else selected.wants.next
        ask = self._ask(selected, path, times)
        return [
            replace(
                ask,
                partition=partition,
                span=resumed.span,
                start=resumed.start,
                descending=paging.descending,
                limit=part.count + (1 if probes else 0),
                filter=paging.where,
                bound=None,
            )
            for partition, resumed in zip(path.partitions, paging.resumptions(), strict=True)
        ]

    def _ask(self, selected: Selected, path: Path, times: int) -> Ask:
        link = selected.link
        return Ask(
            link.index,
            path.partitions[0],
            path.span,
            link.members,
            self.frame.projection(link.members),
            path.descending,
            bound=1 if path.span.single else _bound(link),
            residents=link.residents,
            serves=(selected.dotted,),
            times=times,
        )

    def home_ask(self, selected: Selected, found: Found, times: int) -> Ask | None:
        """For the home item, where the copy or the index lacks what is selected."""
        if self._suffices(selected, found.member):
            return None
        entity, home = found.member.entity, self.frame.layout.home
        known = entity.read(found.item, found.parsed, entity.home.names, home=home.names)
        try:
            partition, sort = entity.home_key(known)
        except Misfit as misfit:
            raise entity.invalid(found.item, str(misfit), home=home.names) from misfit
        member = Member(entity, entity.home)
        return Ask(
            home,
            partition,
            Span.exactly(sort),
            (member,),
            self.frame.projection((member,)),
            bound=1,
            serves=(selected.dotted,),
            times=times,
        )

    def _suffices(self, selected: Selected, member: Member) -> bool:
        """True where the items read as `member` carry all that is selected of them."""
        place = (selected, member)
        if (known := self._complete.get(place)) is None:
            needs = self.frame.names(member.entity, selected.needs.get(member.entity.name, ()))
            carries = member.entity.carried(member.key)
            known = member.key.role == "home" or all(carries(name) for name in needs)
            self._complete[place] = known
        return known

    # Asking ahead.

    def ahead(self, selected: Selected, values: Values, times: int) -> Iterator[Ask]:
        """What will be asked under a field, as far as the field's own values tell."""
        link = selected.link
        if link.aggregate is not None:
            return
        sources = self.key_values(selected) if link.kind == "keys" else (values,)
        for source in sources:
            for reach in link.reaches:
                yield from self._ahead_of(selected, reach, source, times)

    def _ahead_of(
        self, selected: Selected, reach: Reach, values: Values, times: int
    ) -> Iterator[Ask]:
        known = reach.fill(values)
        for child in selected.under(reach.member.entity.name):
            link = child.link
            if child.guarded or link.kind not in ("one", "list", "connection", "groups"):
                continue
            try:
                if link.origins <= known.keys():
                    yield from self.asks(child, known, times)
                    yield from self.ahead(child, known, times)
                elif selected.link.whole and link.whole and _in_partition(link, known):
                    yield from self._cover(child, known, times)
            except Exception:
                continue  # the field itself will say so

    def _cover(self, child: Selected, known: Values, times: int) -> Iterator[Ask]:
        """All of a child's collection in its parent's partition, whichever parents there are."""
        link = child.link
        member = link.reaches[0].member
        partitions = member.key.partitions(link.reaches[0].fill(known))
        bound = next((r.bound for r in link.residents if r.entity == member.entity.name), None)
        if len(partitions) > 1 or bound is None:
            return
        path = Path(partitions, span_of(link, known, {}), descending=False)
        yield replace(self._ask(child, path, times), bound=bound, tentative=True)
        yield from self.ahead(child, known, times)


def _place(selected: Selected, values: Values) -> Place:
    return (selected, *[values.get(name) for name in selected.link.origins])


def _filter(link: Link, arguments: Values) -> Condition | None:
    if not link.filters:
        return None
    return condition(link.reaches[0].member.entity, link.filters, arguments.get("where"))


def _bound(link: Link) -> int | None:
    """Each entity of a group may fill the declared bound."""
    if link.bounded is None or link.kind != "groups":
        return link.bounded
    return link.bounded * len(link.reaches)


def _in_partition(link: Link, known: Values) -> bool:
    binding = link.reaches[0].binding
    return all(binding[name] in known for name in link.key.partition.names)
