"""The raw loop on Redis: one short script a batch on the same columns, in the same order, without any engine code.

Scripts rather than pipelines, because they are the faster way: with pipelines the client's packing of commands would be
measured instead of the store. Payloads are values outside and JSON inside, one for each job, as in the other raw loops
(benchmarks/raw/memory.py says why).
"""

from typing import Any

import msgspec
import redis.asyncio

from dibs.kit.ids import new_id

encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
NOW = "local t = redis.call('TIME') local now = string.format('%.0f', t[1] * 1000000 + t[2])\n"
STORE = (
    NOW
    + """
local first = redis.call('INCRBY', KEYS[1] .. ':seq', #ARGV / 2) - #ARGV / 2
for i = 1, #ARGV, 2 do
  local seq = string.format('%.0f', first + (i + 1) / 2)
  redis.call('HSET', KEYS[1] .. ':job:' .. ARGV[i], 'id', ARGV[i], 'tenant', 'default', 'queue', 'default',
    'job_type', 'bench', 'state', 'pending', 'priority', 0, 'input', ARGV[i + 1], 'max_retries', 3, 'run_at', now,
    'created_at', now, 'seq', seq, 'attempts', 0, 'worker_deaths', 0, 'cost_microcents', 0, 'lease_token', 0)
  redis.call('ZADD', KEYS[1] .. ':ready', seq, ARGV[i])
end
"""
)
CLAIM = (
    NOW
    + """
local taken = redis.call('ZPOPMIN', KEYS[1] .. ':ready', ARGV[1])
local lapses = string.format('%.0f', tonumber(now) + 300000000)
local found = {}
for i = 1, #taken, 2 do
  local name = KEYS[1] .. ':job:' .. taken[i]
  local token = redis.call('INCR', KEYS[1] .. ':token')
  redis.call('HSET', name, 'state', 'running', 'lease_token', token, 'locked_by', 'bench', 'locked_at', now,
    'heartbeat_at', now, 'lease_expires_at', lapses, 'started_at', now)
  redis.call('ZADD', KEYS[1] .. ':running', lapses, taken[i])
  found[#found + 1] = { taken[i], token, redis.call('HGET', name, 'input') }
end
return found
"""
)
COMPLETE = (
    NOW
    + """
for i = 1, #ARGV, 3 do
  local name = KEYS[1] .. ':job:' .. ARGV[i]
  local held = redis.call('HMGET', name, 'state', 'lease_token')
  if held[1] == 'running' and held[2] == ARGV[i + 1] then
    redis.call('HSET', name, 'state', 'succeeded', 'output', ARGV[i + 2], 'finished_at', now)
    redis.call('ZREM', KEYS[1] .. ':running', ARGV[i])
  end
end
"""
)


class Raw:
    """A queue as one would write it by hand: a hash a job, a sorted set for the order, another for the leases."""

    def __init__(self, client: Any, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._store = client.register_script(STORE)
        self._claim = client.register_script(CLAIM)
        self._complete = client.register_script(COMPLETE)

    async def store(self, n: int, payload: Any) -> None:
        rows = [word for _ in range(n) for word in (new_id(), encode(payload))]
        await self._store(keys=[self._prefix], args=rows)

    async def claim(self, n: int) -> list[Any]:
        found: list[Any] = await self._claim(keys=[self._prefix], args=[n])
        return [(job_id, token, decode(payload)) for job_id, token, payload in found]

    async def complete(self, handles: list[Any], output: Any) -> None:
        rows = [word for job_id, token, _ in handles for word in (job_id, token, encode(output))]
        await self._complete(keys=[self._prefix], args=rows)

    async def close(self) -> None:
        await self._client.aclose()


async def open_raw(url: str) -> Raw:
    client = redis.asyncio.from_url(url)
    await client.ping()
    return Raw(client, "{raw}")
