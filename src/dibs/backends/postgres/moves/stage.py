"""What every stage of a job's life needs."""

from dibs.backends.postgres.connections import Connections
from dibs.backends.postgres.statements import Statements


class Stage:
    """Connections, statements, and whether to tell others of jobs that became ready."""

    def __init__(self, connections: Connections, statements: Statements, *, notify: bool) -> None:
        self._connections = connections
        self._sql = statements
        self._notify = notify
