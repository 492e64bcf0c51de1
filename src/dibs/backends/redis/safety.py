"""What a server's own settings mean for jobs, looked at when it is opened."""

from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.protocols import Capabilities
from dibs.errors import StoreAccessDenied, StoreError

NO_EVICTION = "noeviction"


async def read_capabilities(lines: Lines) -> Capabilities:
    """Refuse a server that may throw jobs away; tell whether it keeps them over a restart."""
    facts = await read_facts(lines, "memory", "persistence")
    _refuse_eviction(facts, lines.address.shown)
    return Capabilities(durable=facts.get("aof_enabled") == "1", shared=True, transactions=False)


async def read_facts(lines: Lines, *sections: str) -> dict[str, str]:
    """Read what the server tells of itself; nothing, where it may not be asked."""
    try:
        answers = [await lines.ask("INFO", section) for section in sections]
    except StoreAccessDenied:
        # A managed server may forbid the question; then nothing is known, and nothing promised.
        return {}
    listed = b"\r\n".join(answers).decode().split("\r\n")
    return dict(line.split(":", 1) for line in listed if ":" in line)


def _refuse_eviction(facts: dict[str, str], shown: str) -> None:
    policy = facts.get("maxmemory_policy", NO_EVICTION)
    if policy != NO_EVICTION and facts.get("maxmemory", "0") != "0":
        message = (
            f"the Redis server {shown} throws keys away when memory is short (maxmemory-policy {policy}):"
            " jobs would vanish. Run: CONFIG SET maxmemory-policy noeviction"
        )
        raise StoreError(message)
