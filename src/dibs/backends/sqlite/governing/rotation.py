"""Whose turn it is in the fair queues, kept between claims."""

from collections.abc import Collection, Iterable, Iterator
from heapq import merge

from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.transactions.transaction import Snapshot, Transaction
from dibs.engine.admission.turns import Turns

# The row that tells how far a queue itself has come.
_NOBODY = ""
READ_AT_ONCE = 32
# What time has made of no account is cleared away by so many rows a claim.
CLEARED_AT_ONCE = 500
_FARTHEST = 2**63 - 1
Turn = tuple[int, str]


class Rotation:
    """The turns of the queues that one claim takes from. Of a tenant, no more is read than its own place."""

    def __init__(self, snapshot: Snapshot, book: RuleBook) -> None:
        self._snapshot = snapshot
        self._book = book
        self._turns: dict[str, Turns] = {}
        self._taken: set[tuple[str, str]] = set()

    def place_of(self, queue: str, tenant: str) -> Turn:
        """Tell where a tenant stands; the lowest is next."""
        return self._turns_of(queue, [tenant]).place_of(tenant)

    def find_next(self, queue: str, tenants: Collection[str]) -> str:
        """Find whose turn it is."""
        return self._turns_of(queue, tenants).find_next(tenants)

    def walk(self, queue: str, job_type: str) -> Iterator[Turn]:
        """Go through the tenants with something of a type that is not parked, in the order of their turns."""
        reached = self._turns_of(queue).reached
        levels = [place for (place,) in self._snapshot.read("spending/list_levels", queue, job_type, reached)]
        here = merge(*(self._read(queue, job_type, place, place) for place in levels), key=_by_name)
        for _, tenant in here:
            yield reached, tenant
        yield from self._read(queue, job_type, reached + 1, _FARTHEST)

    def take(self, queue: str, tenant: str) -> None:
        """Note that a tenant was given a job of a queue, if the tenants take turns there."""
        if queue in self._book.fair:
            self._turns_of(queue, [tenant]).take(tenant, self._book.turn_of(tenant))
            self._taken.add((queue, tenant))

    def keep(self, transaction: Transaction) -> None:
        """Write down how far they have come."""
        for queue, tenant in sorted(self._taken):
            transaction.write("spending/set_turn", queue, tenant, self._turns[queue].by_tenant[tenant])
        for queue in sorted({queue for queue, _ in self._taken}):
            reached = self._turns[queue].reached
            transaction.write("spending/set_turn", queue, _NOBODY, reached)
            # Who is not ahead of the queue stands where it stands.
            transaction.write("spending/forget_turns", queue, reached, CLEARED_AT_ONCE)
            transaction.write("spending/catch_up", queue, reached, CLEARED_AT_ONCE)

    def _read(self, queue: str, job_type: str, first: int, last: int) -> Iterator[Turn]:
        """Read the turns between two places, so many at a time."""
        behind: Turn | None = (first, "")
        while behind is not None:
            page = self._snapshot.read("spending/list_ring", queue, job_type, *behind, last, READ_AT_ONCE)
            yield from page
            behind = page[-1] if len(page) == READ_AT_ONCE else None

    def _turns_of(self, queue: str, tenants: Iterable[str] = ()) -> Turns:
        """Give the turns of a queue, in which the places of some tenants are known."""
        if queue not in self._turns:
            self._turns[queue] = Turns(reached=self._find(queue, _NOBODY))
        turns = self._turns[queue]
        for tenant in tenants:
            if tenant not in turns.by_tenant:
                turns.by_tenant[tenant] = self._find(queue, tenant)
        return turns

    def _find(self, queue: str, tenant: str) -> int:
        found = self._snapshot.find("spending/find_turn", queue, tenant)
        return 0 if found is None else found[0]


def _by_name(turn: Turn) -> str:
    return turn[1]
