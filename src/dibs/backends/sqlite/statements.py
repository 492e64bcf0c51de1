"""The statements, each in a file of its own, read when first used."""

from functools import cache
from importlib.resources import files

JOB_COLUMNS = (
    "seq, id, tenant, queue, job_type, state, priority, run_at, max_retries, unique_key, concurrency_key, source,"
    " parent_id, cost_microcents, attempts, worker_deaths, lease_token, locked_by, locked_at, heartbeat_at,"
    " lease_expires_at, created_at, started_at, finished_at, error, progress, output, input,"
    " max_cost_microcents"
)
# What a claim reads of a waiting job: all that the claim itself does not set. What most jobs do not have comes as one
# column, NULL for a plain job that was never claimed: each column costs the driver a tenth of a microsecond.
WAITING_COLUMNS = (
    "seq, id, tenant, queue, job_type, priority, run_at, max_retries, created_at, input, CASE"
    " WHEN started_at IS NULL AND cost_microcents = 0 AND max_cost_microcents = 0"
    " AND coalesce(unique_key, concurrency_key, source, parent_id) IS NULL THEN NULL"
    " ELSE json_array(concurrency_key, source, unique_key, parent_id, cost_microcents, attempts, worker_deaths,"
    " started_at, error, progress, max_cost_microcents) END"
)


@cache
def statement(name: str) -> str:
    """Give the statement called `name`, with the columns of a job filled in."""
    text = (files(__package__) / "sql" / f"{name}.sql").read_text("utf-8")
    return text.replace("{job_columns}", JOB_COLUMNS).replace("{waiting_columns}", WAITING_COLUMNS).strip()


@cache
def migration_steps(file_name: str) -> tuple[str, ...]:
    """Give the statements of one migration, in order."""
    text = (files(__package__) / "migrations" / file_name).read_text("utf-8")
    return tuple(part.strip() for part in text.split(";\n") if part.strip())
