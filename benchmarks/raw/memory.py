"""The raw loop in memory: rows of our width in a dictionary, a heap for the order, and nothing else.

A row has the facts that the raw loop on SQLite writes, and no column is left empty that is filled there.

As in the other raw loops, the ids are ours, and a payload is a value for whoever stores, works or completes, and JSON
for the store: a loop that is handed ready-made JSON, or hands it out unread, would leave out what no queue can.
"""

import heapq
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import msgspec

from dibs.kit.ids import new_id

encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
LEASE = timedelta(seconds=300)
COLUMNS = (
    "id", "job_type", "tenant", "queue", "priority", "input", "max_retries", "run_at", "unique_key", "concurrency_key",
    "source", "parent_id", "state", "output", "error", "progress", "cost_microcents", "attempts", "worker_deaths",
    "lease_token", "locked_by", "locked_at", "heartbeat_at", "lease_expires_at", "created_at", "started_at",
    "finished_at",
)  # fmt: skip
EMPTY = dict.fromkeys(COLUMNS) | {
    "job_type": "bench", "tenant": "default", "queue": "default", "priority": 0, "max_retries": 3, "state": "pending",
    "cost_microcents": 0, "attempts": 0, "worker_deaths": 0, "lease_token": 0,
}  # fmt: skip


class RawMemory:
    """Rows are dictionaries that are replaced when they change, so that a reader never sees half a change."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        self._heap: list[tuple[int, int, str]] = []
        self._numbers = count(1)
        self._audit: list[tuple[Any, ...]] = []

    async def store(self, n: int, payload: Any) -> None:
        """Append rows."""
        now = datetime.now(UTC)
        for _ in range(n):
            row_id, encoded = new_id(), encode(payload)
            row = {**EMPTY, "id": row_id, "input": encoded, "run_at": now, "created_at": now}
            self._rows[row_id] = row
            heapq.heappush(self._heap, (0, next(self._numbers), row_id))

    async def claim(self, n: int) -> list[tuple[str, int, Any]]:
        """Pop rows in order."""
        now = datetime.now(UTC)
        taken = [heapq.heappop(self._heap)[2] for _ in range(min(n, len(self._heap)))]
        return [self._claim_one(row_id, now) for row_id in taken]

    def _claim_one(self, row_id: str, now: datetime) -> tuple[str, int, Any]:
        row = self._rows[row_id]
        token = row["lease_token"] + 1
        self._rows[row_id] = {
            **row, "state": "running", "lease_token": token, "locked_by": "raw", "locked_at": now,
            "heartbeat_at": now, "lease_expires_at": now + LEASE, "started_at": now,
        }  # fmt: skip
        return row_id, token, decode(row["input"])

    async def complete(self, handles: list[tuple[str, int, Any]], output: Any) -> None:
        """Finish rows that are still held."""
        now = datetime.now(UTC)
        for row_id, token, _ in handles:
            row = self._rows[row_id]
            if row["state"] == "running" and row["lease_token"] == token:
                self._rows[row_id] = {
                    **row, "state": "succeeded", "output": encode(output), "finished_at": now, "lease_expires_at": None,
                }  # fmt: skip
                self._audit.append((now, row["tenant"], row["locked_by"], "JOB_SUCCEEDED", row_id, token))

    async def close(self) -> None:
        """Nothing to let go of."""


async def open_raw(_url: str) -> RawMemory:
    """Make an empty one."""
    return RawMemory()
