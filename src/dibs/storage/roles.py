"""The three roles on PostgreSQL. None bypasses row-level security, and none can log in.

The user of the URL is a member, and takes one role for each transaction: owner for migrations, else api or worker.
"""

from enum import StrEnum


class TablesRole(StrEnum):
    """As whom the tables are used."""

    OWNER = "owner"
    WORKER = "worker"
    API = "api"

    def named(self, family: str) -> str:
        """Name the role in the database; roles belong to the whole server, so they are called after the schema."""
        return f"{family}_{self.value}"


def create_role(name: str) -> str:
    """Write what makes a role, unless it is there, and the one who migrates its member."""
    return f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{name}') THEN
        CREATE ROLE "{name}" NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT pg_catalog.pg_has_role(current_user, '{name}', 'SET') THEN
        EXECUTE pg_catalog.format('GRANT "{name}" TO %I', current_user);
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$"""
