"""Jobs in one SQLite file, shared by any number of processes of one machine.

Read `migrations/` for what is kept, `threads/writer.py` for how writes are grouped, `moves/` for what may happen to
a job, `governing/` for who may run now.
"""

from dibs.backends.sqlite.address import parse_url
from dibs.backends.sqlite.examiner import SqliteExaminer
from dibs.backends.sqlite.governing.admission import SqliteAdmission
from dibs.backends.sqlite.governing.sources import SqliteSources
from dibs.backends.sqlite.moves.jobs import SqliteJobs
from dibs.backends.sqlite.notices import SqliteNotices
from dibs.backends.sqlite.reader import SqliteReader
from dibs.backends.sqlite.registers.audit_log import SqliteAuditLog
from dibs.backends.sqlite.registers.leases import SqliteLeases
from dibs.backends.sqlite.registers.schedules import SqliteSchedules
from dibs.backends.sqlite.registers.workers import SqliteWorkers
from dibs.backends.sqlite.schema import SqliteSchema
from dibs.backends.sqlite.threads.connections import check_version
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.blocks import SqliteTransactions
from dibs.engine.store.protocols import Capabilities, Parts

CAPABILITIES = Capabilities(durable=True, shared=True, transactions=True)


async def open_parts(url: str) -> Parts:
    """Open the file that a URL names. Nothing is touched before the first question."""
    check_version()
    database = Database.open(parse_url(url))
    return Parts(
        jobs=SqliteJobs(database),
        reader=SqliteReader(database),
        notices=SqliteNotices(database),
        leases=SqliteLeases(database),
        schema=SqliteSchema(database),
        workers=SqliteWorkers(database),
        admission=SqliteAdmission(database),
        sources=SqliteSources(database),
        audit=SqliteAuditLog(database),
        schedules=SqliteSchedules(database),
        transactions=SqliteTransactions(database),
        examiner=SqliteExaminer(database),
        capabilities=CAPABILITIES,
        close=database.handle_closer(),
    )
