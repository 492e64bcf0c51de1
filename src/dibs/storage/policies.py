"""Row-level security, for migrations: each table that is made is protected in the same migration."""

from alembic import op

from dibs.storage.registry import Ownership
from dibs.storage.roles import TablesRole
from dibs.storage.sight import INSTALLATION

TENANT = "dibs.tenant"
PRESENTED = "dibs.presented"
# Empty or unset: equal to nothing, so that no row is seen.
_TENANT = f"nullif(current_setting('{TENANT}', true), '')"
_PRESENTED = f"nullif(current_setting('{PRESENTED}', true), '')"
EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"


def protect(table: str, ownership: Ownership | None = None, *, api: str = "", worker: str = "") -> None:
    """Let the roles touch the rows of the transaction's tenant only. SQLite has no roles: nothing happens there."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for statement in write_protection(table, ownership or Ownership()):
        op.execute(statement)
    family = op.get_context().opts["dibs_family"]
    for role, rights in ((TablesRole.API, api), (TablesRole.WORKER, worker)):
        if rights:
            op.execute(f'GRANT {rights} ON "{table}" TO "{role.named(family)}"')


def write_protection(table: str, ownership: Ownership) -> list[str]:
    """Write the policies of a table; FORCE puts its owner under them, too."""
    own = f'"{ownership.column}" = {_TENANT}'
    if ownership.is_listed:
        own = f"({own} OR {_TENANT} = '{INSTALLATION}')"
    statements = [
        f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
        f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY',
        f'CREATE POLICY own_rows ON "{table}" USING ({own}) WITH CHECK ({own})',
    ]
    if ownership.shown_by is not None:
        shown = f'"{ownership.shown_by}" = {_PRESENTED}'
        statements.append(f'CREATE POLICY presented_rows ON "{table}" FOR SELECT USING ({shown})')
    return statements
