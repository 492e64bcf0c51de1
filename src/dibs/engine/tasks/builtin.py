"""What an installation can do without any app: tell that it works."""

from dibs.engine.tasks.blueprint import Blueprint


def make_builtin() -> Blueprint:
    """Collect the built-in tasks; each app gets its own."""
    blueprint = Blueprint()

    @blueprint.task("PING", max_retries=0)
    async def ping(text: str = "ping") -> dict[str, str]:
        return {"pong": text}

    return blueprint
