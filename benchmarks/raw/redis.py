"""The raw loop on Redis: one short script a batch on the same columns, in the same order, without any engine code.

Scripts rather than pipelines, because they are the faster way: with pipelines the client's packing of commands would be
measured instead of the store.
"""

import uuid
from typing import Any

import redis.asyncio

OUTPUT = '{"status":"sent","id":"0123456789abcdef"}'
NOW = "local t = redis.call('TIME') local now = string.format('%.0f', t[1] * 1000000 + t[2])\n"
STORE = (
    NOW
    + """
local first = redis.call('INCRBY', KEYS[1] .. ':seq', #ARGV - 1) - (#ARGV - 1)
for i = 2, #ARGV do
  local seq = string.format('%.0f', first + i - 1)
  redis.call('HSET', KEYS[1] .. ':job:' .. ARGV[i], 'id', ARGV[i], 'tenant', 'default', 'queue', 'default',
    'job_type', 'bench', 'state', 'pending', 'priority', 0, 'input', ARGV[1], 'max_retries', 3, 'run_at', now,
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
for i = 2, #ARGV, 2 do
  local name = KEYS[1] .. ':job:' .. ARGV[i]
  local held = redis.call('HMGET', name, 'state', 'lease_token')
  if held[1] == 'running' and held[2] == ARGV[i + 1] then
    redis.call('HSET', name, 'state', 'succeeded', 'output', ARGV[1], 'finished_at', now)
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

    async def store(self, n: int, payload: str) -> None:
        await self._store(keys=[self._prefix], args=[payload, *(str(uuid.uuid4()) for _ in range(n))])

    async def claim(self, n: int) -> list[Any]:
        found: list[Any] = await self._claim(keys=[self._prefix], args=[n])
        return found

    async def complete(self, handles: list[Any]) -> None:
        leases = [word for handle in handles for word in handle[:2]]
        await self._complete(keys=[self._prefix], args=[OUTPUT, *leases])

    async def close(self) -> None:
        await self._client.aclose()


async def open_raw(url: str) -> Raw:
    client = redis.asyncio.from_url(url)
    await client.ping()
    return Raw(client, "{raw}")
