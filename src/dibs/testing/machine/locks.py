"""Named leases, taken, renewed and released by several owners."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import rule

from dibs.testing.machine.stage import Stage
from dibs.testing.machine.values import LOCKS, SPANS, WORKERS


class LockMoves(Stage):
    """Everything that can happen to a named lease."""

    @rule(name=st.sampled_from(LOCKS), owner=WORKERS, ttl=SPANS)
    def acquire(self, name: str, owner: str, ttl: timedelta) -> None:
        """Take a named lease, if it is free."""
        self.do(lambda backend, _: backend.leases.acquire(name, owner, ttl))

    @rule(pick=st.integers(0, 1_000), ttl=SPANS)
    def renew(self, pick: int, ttl: timedelta) -> None:
        """Renew a named lease, also a stale one."""
        for lock in self.pick([pick], self.pair.locks):
            self.do(lambda backend, side, lock=lock: backend.leases.renew(lock[side], ttl))  # type: ignore[misc]

    @rule(pick=st.integers(0, 1_000))
    def release(self, pick: int) -> None:
        """Release a named lease, also a stale one."""
        for lock in self.pick([pick], self.pair.locks):
            self.do(lambda backend, side, lock=lock: backend.leases.release(lock[side]))  # type: ignore[misc]
