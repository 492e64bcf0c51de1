"""What can be wrong with a Redis server: what it keeps, what it throws away, who follows it."""

import re
from collections.abc import Iterator

from dibs.backends.redis.safety import NO_EVICTION, read_facts
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.checkup import Finding, ok, problem, warning
from dibs.errors import StoreError
from dibs.kit.figures import show_bytes

SECTIONS = ("memory", "persistence", "replication")
FULL, ALMOST_FULL = 0.8, 0.95
LONGEST_LAG_SECONDS = 10
UNKNOWN = "the server does not tell (INFO is forbidden to this user)"
Facts = dict[str, str]


class RedisExaminer:
    """Asks the server that takes our writes."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def examine(self) -> list[Finding]:
        """Look at everything."""
        facts = await read_facts(self._lines, *SECTIONS)
        if not facts:
            return [warning("server", UNKNOWN, "Allow it: ACL SETUSER … +info +config|get. Then ask again.")]
        syncing = await self._read_setting("appendfsync")
        return [
            check_persistence(facts, syncing),
            check_saving(facts),
            check_eviction(facts),
            check_memory(facts),
            check_replication(facts),
            check_holders(*await self._lines.run("admission/check_holders", is_write=False)),
        ]

    async def _read_setting(self, name: str) -> str | None:
        try:
            answer = await self._lines.ask("CONFIG", "GET", name)
        except StoreError:
            # Managed servers hide their settings.
            return None
        return answer[1].decode() if answer else None


def check_holders(running: int, strays: int, missing: int, wrong: int) -> Finding:
    """Whether what running jobs are said to hold of limits and budgets is what they hold."""
    if not strays and not missing and not wrong:
        return ok("limits", f"what {running} running jobs hold is counted right")
    message = f"limits: {strays} counted that do not run, {missing} run uncounted, {wrong} reservations are wrong"
    advice = (
        "Workers of an older release end jobs without counting. Upgrade them all, then set the rules of tenants and"
    )
    return problem("limits", message, f"{advice} keys anew: that counts anew.")


def check_persistence(facts: Facts, syncing: str | None) -> Finding:
    """What a crash and what a power cut would cost."""
    if facts.get("aof_enabled") != "1":
        advice = "Run: CONFIG SET appendonly yes, and write it into the server's settings."
        return warning("persistence", "there is no append-only file: a restart loses jobs", advice)
    if syncing == "no":
        advice = "Run: CONFIG SET appendfsync everysec (or always)."
        return warning("persistence", "appendfsync is no: a power cut may lose half a minute of jobs", advice)
    said = {"always": "nothing acknowledged is lost", "everysec": "a power cut may lose about the last second"}
    return ok("persistence", f"append-only file, appendfsync {syncing or 'unknown'}: {said.get(syncing or '', 'ask')}")


def check_saving(facts: Facts) -> Finding:
    """Whether the last writes to disk went well."""
    names = ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status")
    failed = [name for name in names if facts.get(name, "ok") != "ok"]
    if failed:
        message = f"the server could not write to its disk ({', '.join(failed)})"
        return problem("saving", message, "Free disk space and look at the server's log; it may soon refuse writes.")
    return ok("saving", "the last writes to disk went well")


def check_eviction(facts: Facts) -> Finding:
    """Whether jobs could be thrown away once there is a limit; with one, such a server is refused at the door."""
    policy = facts.get("maxmemory_policy", NO_EVICTION)
    if policy == NO_EVICTION:
        return ok("eviction", "the server throws nothing away")
    message = f"maxmemory-policy is {policy}: as soon as maxmemory is set, jobs would vanish"
    return warning("eviction", message, "Run: CONFIG SET maxmemory-policy noeviction")


def check_memory(facts: Facts) -> Finding:
    """How near the end is."""
    used, limit = int(facts.get("used_memory", 0)), int(facts.get("maxmemory", 0))
    where = "maxmemory" if limit else "the machine's memory"
    room = limit or int(facts.get("total_system_memory", 0))
    message = f"{show_bytes(used)} of {show_bytes(room)} ({where})" if room else f"{show_bytes(used)} used"
    if not room or used < FULL * room:
        return ok("memory", message)
    advice = "Forget finished jobs (dibs jobs purge), or give the server more memory. When full, it refuses new jobs."
    return (problem if used >= ALMOST_FULL * room else warning)("memory", message, advice)


def check_replication(facts: Facts) -> Finding:
    """Whether this is the primary, and its replicas keep up."""
    if facts.get("role") == "slave":
        message = "this is a replica, which takes no writes"
        return problem("replication", message, "Name the primary in the URL, or use redis+sentinel://.")
    replicas = list(_read_replicas(facts))
    if not replicas:
        return ok("replication", "no replicas")
    late = [one for one in replicas if one.get("state") != "online" or int(one.get("lag", 0)) > LONGEST_LAG_SECONDS]
    if not late:
        return ok("replication", f"replicas: {len(replicas)}, all keep up")
    one = late[0]
    named = f"{one.get('ip')}:{one.get('port')} ({one.get('state')}, {one.get('lag')} s behind)"
    message = f"replicas: {len(late)} of {len(replicas)} do not keep up, such as {named}"
    return warning("replication", message, "A failover now would lose jobs. Look at the replica and the network.")


def _read_replicas(facts: Facts) -> Iterator[Facts]:
    for name, value in facts.items():
        if re.fullmatch(r"slave\d+", name):
            yield dict(pair.split("=", 1) for pair in value.split(",") if "=" in pair)
