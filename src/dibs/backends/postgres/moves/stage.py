"""What every stage of a job's life needs."""

from collections.abc import Callable

from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections


class Stage:
    """Connections, statements, whether to tell others of jobs that became ready, and whom to tell of a claim."""

    def __init__(
        self, connections: Connections, statements: Statements, *, notify: bool, on_claim: Callable[[], None]
    ) -> None:
        self._connections = connections
        self._sql = statements
        self._notify = notify
        self._on_claim = on_claim
