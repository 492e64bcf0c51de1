"""Jobs in PostgreSQL. Every move is one call of a function that the migrations under `sql/` install.

Read `sql/migrations/0001/tables` for what is kept, the folders beside it for what may happen to it.
"""

from dibs.backends.postgres.examiner import PostgresExaminer
from dibs.backends.postgres.governing.admission import PostgresAdmission
from dibs.backends.postgres.governing.audit_log import PostgresAuditLog
from dibs.backends.postgres.governing.roles import PostgresRoles
from dibs.backends.postgres.governing.schedules import PostgresSchedules
from dibs.backends.postgres.governing.sources import PostgresSources
from dibs.backends.postgres.leases import PostgresLeases
from dibs.backends.postgres.moves import PostgresJobs
from dibs.backends.postgres.notices import PostgresNotices
from dibs.backends.postgres.reader import PostgresReader
from dibs.backends.postgres.schema import PostgresSchema
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.transactions import PostgresTransactions
from dibs.backends.postgres.wire.address import read_address
from dibs.backends.postgres.wire.connections import Connections
from dibs.backends.postgres.workers import PostgresWorkers
from dibs.engine.store.protocols import Capabilities, Parts

CAPABILITIES = Capabilities(durable=True, shared=True, transactions=True)


async def open_parts(url: str) -> Parts:
    """Make ready to talk to the server; the first call connects."""
    address = read_address(url)
    statements = Statements(address.schema)
    connections = await Connections.open(address)
    notices = PostgresNotices(connections, statements, address)

    async def close() -> None:
        connections.home.check()
        await notices.close()
        await connections.close()

    jobs = PostgresJobs(connections, statements, notify=address.notices, on_claim=notices.come_first)
    return Parts(
        jobs=jobs,
        reader=PostgresReader(connections, statements),
        notices=notices,
        leases=PostgresLeases(connections, statements),
        schema=PostgresSchema(connections, statements),
        workers=PostgresWorkers(connections, statements),
        admission=PostgresAdmission(connections, statements),
        sources=PostgresSources(connections, statements),
        audit=PostgresAuditLog(connections, statements),
        schedules=PostgresSchedules(connections, statements, jobs),
        roles=PostgresRoles(connections, statements),
        transactions=PostgresTransactions(connections),
        examiner=PostgresExaminer(connections, statements),
        capabilities=CAPABILITIES,
        close=close,
    )
