"""Whose turn it is in the fair queues, kept between claims."""

from collections.abc import Iterable

from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.transaction import Snapshot, Transaction
from dibs.engine.admission.turns import Turns

# The row that tells how far a queue itself has come.
_NOBODY = ""


class Rotation:
    """The turns of the queues that one claim takes from."""

    def __init__(self, snapshot: Snapshot, book: RuleBook) -> None:
        self._snapshot = snapshot
        self._book = book
        self._turns: dict[str, Turns] = {}
        self._taken: set[tuple[str, str]] = set()

    def place_of(self, queue: str, tenant: str) -> tuple[int, str]:
        """Tell where a tenant stands; the lowest is next."""
        return self._turns_of(queue).place_of(tenant)

    def find_next(self, queue: str, tenants: Iterable[str]) -> str:
        """Find whose turn it is."""
        return self._turns_of(queue).find_next(tenants)

    def take(self, queue: str, tenant: str) -> None:
        """Note that a tenant was given a job of a queue, if the tenants take turns there."""
        if queue in self._book.fair:
            self._turns_of(queue).take(tenant, self._book.turn_of(tenant))
            self._taken.add((queue, tenant))

    def keep(self, transaction: Transaction) -> None:
        """Write down how far they have come."""
        for queue in sorted({queue for queue, _ in self._taken}):
            reached = self._turns[queue].reached
            transaction.write("spending/set_turn", queue, _NOBODY, reached)
            # Who is not ahead of the queue stands where it stands.
            transaction.write("spending/forget_turns", queue, reached)
        for queue, tenant in sorted(self._taken):
            transaction.write("spending/set_turn", queue, tenant, self._turns[queue].by_tenant[tenant])

    def _turns_of(self, queue: str) -> Turns:
        if queue not in self._turns:
            places: dict[str, int] = dict(self._snapshot.read("spending/list_turns", queue))
            self._turns[queue] = Turns(reached=places.pop(_NOBODY, 0), by_tenant=places)
        return self._turns[queue]
