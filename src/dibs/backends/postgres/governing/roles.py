"""What a role of the server may do with the store."""

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections


class PostgresRoles:
    """Rights are the server's own: whoever has the role has them."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def grant(self, role: str) -> None:
        """Let a role do all that programs do: everything but to install, and to change or delete what the log says."""
        quoted = '"' + role.replace('"', '""') + '"'
        script = self._sql["schema/grant"].replace("{role}", quoted)
        await self._connections.work(lambda connection: connection.execute(script))
