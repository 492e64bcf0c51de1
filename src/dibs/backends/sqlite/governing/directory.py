"""The lanes that a claim may take from, in the order in which it must."""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from operator import attrgetter

from dibs.backends.sqlite.governing.lanes import Lane
from dibs.backends.sqlite.governing.parks import Park
from dibs.backends.sqlite.governing.rotation import Rotation, Turn
from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.engine.store.moves import ClaimRequest

READ_AT_ONCE = 32
NOT_PARKED = ""
# Park, queue, job type, and the tenant where only one counts.
Address = tuple[str, str, str, str | None]
# The place of a tenant, its name, and where lanes of it stand.
Entry = tuple[int, str, Address]


class Line:
    """Lanes at one address by urgency; only so many are read as are asked for."""

    def __init__(self, snapshot: Snapshot, address: Address) -> None:
        self._snapshot = snapshot
        self.address = address
        self._lanes: list[Lane] = []
        self._is_whole = False

    def first(self) -> Lane | None:
        """Give the most urgent lane."""
        if not self._lanes and not self._is_whole:
            self._read()
        return self._lanes[0] if self._lanes else None

    def some(self) -> list[Lane]:
        """Give the first lanes."""
        self.first()
        return self._lanes

    @property
    def has_more(self) -> bool:
        """Whether there are lanes that were not read."""
        return not self._is_whole

    def leave_out(self) -> None:
        """Leave the first lane out: it was moved away, or comes back by `put`."""
        del self._lanes[0]

    def drop(self, is_gone: Callable[[Lane], bool]) -> None:
        """Leave out those of the lanes read that are gone."""
        self._lanes = [lane for lane in self._lanes if not is_gone(lane)]

    def put(self, lane: Lane) -> None:
        """Take a lane in whose row stands at this address now."""
        if self._is_whole or (self._lanes and lane.urgency < self._lanes[-1].urgency):
            insort(self._lanes, lane, key=attrgetter("urgency"))

    def _read(self) -> None:
        park, queue, job_type, tenant = self.address
        where = (park, queue, job_type) if tenant is None else (park, queue, job_type, tenant)
        name = "directory/list_lanes" if tenant is None else "directory/list_lanes_of_tenant"
        self._lanes = [Lane(*row) for row in self._snapshot.read(name, *where, READ_AT_ONCE)]
        self._is_whole = len(self._lanes) < READ_AT_ONCE


class Upcoming:
    """The addresses of tenants of a fair queue, those whose turn comes first first; read as they are asked for."""

    def __init__(self, entries: Iterator[Entry]) -> None:
        self._entries = entries
        self._next = next(entries, None)

    @property
    def tenant(self) -> str | None:
        """Who is next; None when nobody is left."""
        return None if self._next is None else self._next[1]

    def pop(self) -> list[Address]:
        """Give all addresses of the next tenant."""
        tenant, addresses = self.tenant, []
        while self._next is not None and self._next[1] == tenant:
            addresses.append(self._next[2])
            self._next = next(self._entries, None)
        return addresses


class Directory:
    """All lines that a claim wants: those of lanes that are not parked, and those of open parks."""

    def __init__(self, snapshot: Snapshot, book: RuleBook, request: ClaimRequest, parks: Sequence[str]) -> None:
        self._snapshot = snapshot
        self._book = book
        self._request = request
        self._lines: dict[str, dict[Address, Line]] = {}
        self._closed: set[str] = set()
        self.rotation = Rotation(snapshot, book)
        # Of a thousand tenants that take turns a claim gives something to few: nobody is looked at before.
        in_turn: dict[str, list[Iterator[Entry]]] = {}
        for park in (NOT_PARKED, *parks):
            for queue, job_type in self._find_kinds(park):
                if queue in book.fair:
                    in_turn.setdefault(queue, []).append(self._stand_in_line(park, queue, job_type))
                else:
                    self._line_at((park, queue, job_type, request.tenant))
        self._lines |= {queue: {} for queue in in_turn}
        self._upcoming = {queue: Upcoming(merge(*some)) for queue, some in in_turn.items()}

    def find_candidates(self) -> list[Lane]:
        """Find the lane of each queue to try next: its most urgent, in a fair queue of the tenant whose turn it is."""
        return [lane for queue in self._lines if (lane := self._find_candidate(queue)) is not None]

    def list_lines(self) -> Iterator[Line]:
        """Give all lines, one after another."""
        yield from [line for lines in self._lines.values() for line in lines.values()]
        for upcoming in self._upcoming.values():
            while upcoming.tenant is not None:
                yield from [self._line_at(address) for address in upcoming.pop()]

    def leave_out(self, lane: Lane) -> None:
        """Leave a lane out that `find_next` gave."""
        self._line_at(self._address_of(lane)).leave_out()

    def leave_out_like(self, lane: Lane) -> None:
        """Leave out those of the same tenant and source: they were moved away with it."""
        self._line_at(self._address_of(lane)).drop(lambda one: (one.tenant, one.source) == (lane.tenant, lane.source))

    def put(self, lane: Lane) -> None:
        """Take a lane in again, as it is now."""
        self._line_at(self._address_of(lane)).put(lane)

    def close(self, park: Park) -> None:
        """Leave all lanes of a park out."""
        for lines in self._lines.values():
            for address in [address for address in lines if address[0] == park.name]:
                del lines[address]
        self._closed.add(park.name)

    def _find_candidate(self, queue: str) -> Lane | None:
        firsts = self._find_firsts(queue)
        if queue in self._book.fair:
            tenant = self._find_next(queue, firsts)
            firsts = [lane for lane in self._find_firsts(queue) if lane.tenant == tenant]
        return min(firsts, key=attrgetter("urgency"), default=None)

    def _find_firsts(self, queue: str) -> list[Lane]:
        return [lane for line in self._lines[queue].values() if (lane := line.first()) is not None]

    def _stand_in_line(self, park: str, queue: str, job_type: str) -> Iterator[Entry]:
        """Give the tenants with lanes at one place in the order of their turns."""
        for place, tenant in self._list_turns(park, queue, job_type):
            yield place, tenant, (park, queue, job_type, tenant)

    def _list_turns(self, park: str, queue: str, job_type: str) -> Iterable[Turn]:
        if self._request.tenant is not None:
            return [self.rotation.place_of(queue, self._request.tenant)]
        if park == NOT_PARKED:
            return self.rotation.walk(queue, job_type)
        tenants = self._snapshot.read("directory/list_tenants", park, queue, job_type)
        return sorted(self.rotation.place_of(queue, tenant) for (tenant,) in tenants)

    def _find_next(self, queue: str, firsts: list[Lane]) -> str | None:
        """Find whose turn it is, among those who were looked at and those who come next."""
        tenants, upcoming = {lane.tenant for lane in firsts}, self._upcoming[queue]
        best = self.rotation.find_next(queue, tenants) if tenants else None
        while upcoming.tenant is not None and (best is None or self._comes_before(queue, upcoming.tenant, best)):
            tenant, addresses = upcoming.tenant, upcoming.pop()
            lines = [self._line_at(address) for address in addresses if address[0] not in self._closed]
            if any(line.first() is not None for line in lines):
                best = tenant
        return best

    def _comes_before(self, queue: str, one: str, other: str) -> bool:
        return self.rotation.place_of(queue, one) < self.rotation.place_of(queue, other)

    def _address_of(self, lane: Lane) -> Address:
        tenant = lane.tenant if lane.queue in self._book.fair else self._request.tenant
        return lane.parked_on, lane.queue, lane.job_type, tenant

    def _line_at(self, address: Address) -> Line:
        lines = self._lines.setdefault(address[1], {})
        if address not in lines:
            lines[address] = Line(self._snapshot, address)
        return lines[address]

    def _find_kinds(self, park: str) -> Iterator[tuple[str, str]]:
        request, read = self._request, self._snapshot.read
        queues = (
            request.queues if request.queues is not None else [row[0] for row in read("directory/list_queues", park)]
        )
        for queue in dict.fromkeys(queues):
            types = request.job_types if request.job_types is not None else self._list_types(park, queue)
            yield from ((queue, job_type) for job_type in dict.fromkeys(types))

    def _list_types(self, park: str, queue: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self._snapshot.read("directory/list_types", park, queue))
