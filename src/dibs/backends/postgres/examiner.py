"""What can be wrong with a PostgreSQL server, or stand between it and us."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.address import Address
from dibs.backends.postgres.wire.connections import Connections, connect
from dibs.backends.postgres.wire.faults import Phase, translate
from dibs.engine.store.checkup import Check, Finding, ok, problem, surely, warning
from dibs.kit.figures import show_span

MANY_DEAD, FAR_TOO_MANY_DEAD = 100_000, 1_000_000
OLD, VERY_OLD, IDLE = timedelta(minutes=5), timedelta(hours=1), timedelta(minutes=1)
OLD_HORIZON = 1_000_000
CROWDED, ALMOST_FULL = 0.8, 0.95
_FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)


class PostgresExaminer:
    """Asks the server's own statistics; a user without rights sees less of them."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def examine(self) -> list[Finding]:
        """Look at everything."""
        checks: dict[str, Check] = {
            "pooler": self.check_pooler,
            "settings": self.check_settings,
            "dead rows": self.check_dead_rows,
            "old snapshots": self.check_snapshots,
            "held horizon": self.check_horizon,
            "idle transactions": self.check_idle_transactions,
            "connections": self.check_connections,
        }
        return [finding for topic, check in checks.items() for finding in await surely(topic, check)]

    async def check_pooler(self) -> list[Finding]:
        """Whether something stands between us and the server, and whether the URL knows it."""
        address = self._connections.address
        has_pooler, is_split = await self._look_for_pooler(address)
        if is_split and not address.is_split:
            message = "a pooler in transaction mode stands before the server, and the URL does not say so"
            advice = "Add pooler=transaction to the URL, or use the server's own address."
            return [problem("pooler", message, advice)]
        if address.is_split and not has_pooler:
            message = "the URL says pooler=transaction, but no pooler is there: workers poll for nothing"
            return [warning("pooler", message, "Leave pooler out of the URL, and notices work again.")]
        if is_split:
            return [
                ok("pooler", "in transaction mode, as the URL says: workers poll, for nobody can listen through it")
            ]
        return [ok("pooler", "there is one, in session mode" if has_pooler else "none")]

    async def _look_for_pooler(self, address: Address) -> tuple[bool, bool]:
        """Tell whether there is one, and whether it deals out server sessions by the transaction.

        A pooler makes up the process id that it greets with; in transaction mode two sessions meet the same process.
        """
        question = self._sql["examining/read_process_id"]
        careful = msgspec.structs.replace(address, pooler="transaction")
        try:
            async with _session(careful) as one, _session(careful) as other:
                of_one = {await _ask(one, question) for _ in range(3)}
                is_split = len(of_one) > 1 or await _ask(other, question) in of_one
                return one.get_server_pid() not in of_one, is_split
        except _FAULTS as error:
            raise translate(error, shown=address.shown, phase=Phase.READING) from error

    async def check_settings(self) -> list[Finding]:
        """Whether the server keeps what it acknowledged, and cleans up behind us."""
        settings = await self._read_settings()
        table = await self._find("read_hot_table", self._sql.schema)
        is_vacuum_off = settings.get("autovacuum") == "off" or (table is not None and table["is_vacuum_off"])
        return [judge_syncing(settings), judge_vacuum(is_off=is_vacuum_off)]

    async def check_dead_rows(self) -> list[Finding]:
        """Whether vacuum keeps up with the table that every claim reads."""
        row = await self._find("read_hot_table", self._sql.schema)
        if row is None:
            return [ok("dead rows", "no statistics yet")]
        message = f"{row['dead']:,} dead rows beside {row['live']:,} live ones in the table jobs"
        if row["dead"] < MANY_DEAD:
            return [ok("dead rows", message)]
        advice = f"An old snapshot keeps vacuum from removing them (see below), or: VACUUM {self._sql.schema}.jobs"
        return [(problem if row["dead"] >= FAR_TOO_MANY_DEAD else warning)("dead rows", message, advice)]

    async def check_snapshots(self) -> list[Finding]:
        """Whether a transaction is so old that vacuum cannot clean up behind it."""
        row = await self._find("find_oldest_snapshot")
        age = timedelta(seconds=row["seconds"] if row is not None else 0)
        if row is None or age < OLD:
            return [await self._judge_sight()]
        message = f"process {row['pid']} ({row['name']}, {row['state']}) has been in a transaction for {show_span(age)}"
        advice = f"Vacuum cannot clean up behind it. End it: SELECT pg_terminate_backend({row['pid']})"
        return [(problem if age >= VERY_OLD else warning)("old snapshots", message, advice)]

    async def _judge_sight(self) -> Finding:
        """No transaction that we see is old; say whether we see all."""
        hidden = await self._find("count_hidden_sessions")
        if not hidden["count"]:
            return ok("old snapshots", "no transaction is old")
        message = f"none that is seen; but {hidden['count']} sessions of other users are hidden from {hidden['name']}"
        advice = f"Let it see them: GRANT pg_read_all_stats TO {hidden['name']}. Then ask again."
        return warning("old snapshots", message, advice)

    async def check_horizon(self) -> list[Finding]:
        """Whether something that is no session holds vacuum back."""
        row = await self._find("find_held_horizon")
        if row is None or (row["age"] or 0) < OLD_HORIZON:
            return [ok("held horizon", "no prepared transaction or replication slot holds vacuum back")]
        message = f"{row['holder']} holds vacuum back by {row['age']:,} transactions"
        advice = "Finish or roll back the transaction; drop the slot if nobody reads it."
        return [warning("held horizon", message, advice)]

    async def check_idle_transactions(self) -> list[Finding]:
        """Whether sessions have forgotten to commit."""
        rows = await self._connections.read(self._sql["examining/list_idle_transactions"], IDLE)
        if not rows:
            return [ok("idle transactions", "none")]
        longest = show_span(timedelta(seconds=rows[0]["seconds"]))
        message = f"{len(rows)}, the longest for {longest}: process {rows[0]['pid']} ({rows[0]['name']})"
        advice = "They hold locks and snapshots. Look for a forgotten commit; set idle_in_transaction_session_timeout."
        return [warning("idle transactions", message, advice)]

    async def check_connections(self) -> list[Finding]:
        """Whether more of us still find room."""
        settings = await self._read_settings()
        room = int(settings["max_connections"]) - int(settings["superuser_reserved_connections"])
        count = (await self._find("count_connections"))["count"]
        message = f"{count} of {room} connections are taken"
        if count < CROWDED * room:
            return [ok("connections", message)]
        advice = "Lower pool_size in the URLs, run fewer processes, put a pooler before it, or raise max_connections."
        return [(problem if count >= ALMOST_FULL * room else warning)("connections", message, advice)]

    async def _read_settings(self) -> dict[str, str]:
        rows = await self._connections.read(self._sql["examining/read_settings"])
        return {row["name"]: row["setting"] for row in rows}

    async def _find(self, name: str, *values: Any) -> Any:
        rows = await self._connections.read(self._sql[f"examining/{name}"], *values)
        return rows[0] if rows else None


def judge_syncing(settings: dict[str, str]) -> Finding:
    """What a crash of the machine would cost."""
    off = [name for name in ("fsync", "full_page_writes") if settings.get(name) == "off"]
    if off:
        message = f"{' and '.join(off)} off: a crash of the machine may destroy the whole database"
        return problem("syncing", message, f"Set {' and '.join(off)} to on, in postgresql.conf, and reload.")
    if settings.get("synchronous_commit") == "off":
        message = "synchronous_commit is off: a crash may lose the last acknowledged jobs"
        return warning("syncing", message, "Set it to on, for this user at least: ALTER ROLE … SET …")
    return ok("syncing", "every commit reaches the disk before it is acknowledged")


def judge_vacuum(*, is_off: bool) -> Finding:
    """Whether anybody cleans up."""
    if is_off:
        message = "autovacuum is off: claims slow down as dead rows pile up"
        return problem("vacuum", message, "Turn autovacuum on, for the server and for the table jobs.")
    return ok("vacuum", "autovacuum is on")


@asynccontextmanager
async def _session(address: Address) -> AsyncIterator[Any]:
    connection = await connect(address)
    try:
        yield connection
    finally:
        await connection.close()


async def _ask(connection: Any, question: str) -> Any:
    async with connection.transaction():
        return await connection.fetchval(question)
