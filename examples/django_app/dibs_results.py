"""Jobs told as Django tells its tasks."""

import re
from importlib import import_module

import dibs

try:
    from django import tasks
except ImportError:
    import django_tasks as tasks

base = import_module(f"{tasks.__name__}.base")
Status = base.TaskResultStatus
STATUSES = {
    dibs.State.RUNNING: Status.RUNNING,
    dibs.State.SUCCEEDED: Status.SUCCESSFUL,
    dibs.State.FAILED: Status.FAILED,
    dibs.State.CANCELLED: Status.FAILED,
}


def make_result(task, job, attempts, backend):
    """Tell a job and its attempts."""
    result = base.TaskResult(
        task=task,
        id=job.id,
        status=STATUSES.get(job.state, Status.READY),
        enqueued_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        last_attempted_at=attempts[-1].started_at if attempts else None,
        args=job.input["args"],
        kwargs=job.input["kwargs"],
        backend=backend,
        errors=[describe(attempt.error) for attempt in attempts if attempt.error is not None],
        worker_ids=[attempt.worker for attempt in attempts],
    )
    object.__setattr__(result, "_return_value", job.output)
    return result


def describe(error):
    """Tell an error as Django does, by the full name of its class, which stands in the traceback."""
    named = re.findall(rf"^((?:\w+\.)*{re.escape(error.type)})(?::|$)", error.traceback, re.MULTILINE)
    path = named[-1] if named else error.type
    return base.TaskError(exception_class_path=path if "." in path else f"builtins.{path}", traceback=error.traceback)


async def list_attempts(app, job_id):
    """Read every execution of a job."""
    return await (await app.backend()).reader.list_attempts(job_id)
