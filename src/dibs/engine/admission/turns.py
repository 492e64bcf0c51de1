"""Whose turn it is in a fair queue: stride scheduling over the tenants with something to run."""

from collections.abc import Iterable

import msgspec


class Turns(msgspec.Struct):
    """How far each tenant of one queue has come. Who was away comes back to where the others are, not before them."""

    reached: int = 0
    by_tenant: dict[str, int] = msgspec.field(default_factory=dict)

    def place_of(self, tenant: str) -> tuple[int, str]:
        """Tell where a tenant stands; the lowest is next."""
        return max(self.by_tenant.get(tenant, 0), self.reached), tenant

    def find_next(self, tenants: Iterable[str]) -> str:
        """Find whose turn it is."""
        return min(tenants, key=self.place_of)

    def take(self, tenant: str, turn: int) -> None:
        """Note that a tenant was given a job; `turn` is smaller for a heavier tenant."""
        self.reached = self.place_of(tenant)[0]
        self.by_tenant[tenant] = self.reached + turn
