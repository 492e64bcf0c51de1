"""Jobs in Redis or Valkey: a server, one watched by Sentinel, or one hash slot of a Cluster.

Every move is one Lua script (`lua/moves/`), put together from `lua/parts/`. Start with `lua/parts/core.lua`.
"""

from dibs.backends.redis.admission.keeping import RedisAdmission
from dibs.backends.redis.admission.sources import RedisSources
from dibs.backends.redis.auditing.log import RedisAuditLog
from dibs.backends.redis.examiner import RedisExaminer
from dibs.backends.redis.leases import RedisLeases
from dibs.backends.redis.moves.jobs import RedisJobs
from dibs.backends.redis.notices import RedisNotices
from dibs.backends.redis.reader import RedisReader
from dibs.backends.redis.safety import read_capabilities
from dibs.backends.redis.schedules import RedisSchedules
from dibs.backends.redis.schema import RedisSchema
from dibs.backends.redis.wire.address import parse_address
from dibs.backends.redis.wire.connections import Lines
from dibs.backends.redis.workers import RedisWorkers
from dibs.engine.store.protocols import Parts


async def open_parts(url: str) -> Parts:
    """Connect to the server that `url` names."""
    lines = Lines(parse_address(url))
    try:
        capabilities = await read_capabilities(lines)
    except BaseException:
        await lines.close()
        raise
    notices = RedisNotices(lines)

    async def close() -> None:
        lines.refuse_strangers()
        await notices.close()
        await lines.close()

    return Parts(
        jobs=RedisJobs(lines),
        reader=RedisReader(lines),
        notices=notices,
        leases=RedisLeases(lines),
        schema=RedisSchema(lines),
        workers=RedisWorkers(lines),
        admission=RedisAdmission(lines),
        sources=RedisSources(lines),
        audit=RedisAuditLog(lines),
        schedules=RedisSchedules(lines),
        examiner=RedisExaminer(lines),
        capabilities=capabilities,
        close=close,
    )
