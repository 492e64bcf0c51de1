"""A backend for Django's tasks: `django.tasks` of Django 6, or the package django-tasks before it.

    TASKS = {"default": {"BACKEND": "dibs_backend.DibsBackend", "OPTIONS": {"database": "default"}}}

Collect `blueprint` in the app whose worker runs the tasks. With the option `database`, jobs are in the same SQLite file
as that database, and a task that is enqueued inside `transaction.atomic()` commits with it. Errors are retried as Dibs
does. Of Django's signals, only `task_enqueued` is sent.
"""

import re
from importlib import import_module

from django.db import close_old_connections, connections
from django.utils.module_loading import import_string

import dibs

try:
    from django import tasks
except ImportError:
    import django_tasks as tasks

backends, base, exceptions, signals = (
    import_module(f"{tasks.__name__}.{name}") for name in ("backends.base", "base", "exceptions", "signals")
)
Status = base.TaskResultStatus
STATUSES = {
    dibs.State.RUNNING: Status.RUNNING,
    dibs.State.SUCCEEDED: Status.SUCCESSFUL,
    dibs.State.FAILED: Status.FAILED,
    dibs.State.CANCELLED: Status.FAILED,
}
blueprint = dibs.Blueprint()


@blueprint.task("DJANGO_TASK")
def run_task(ctx, path: str, args: list, kwargs: dict):
    """Run what a job names, which must be a task: an input cannot call just anything."""
    task = import_string(path)
    if not isinstance(task, base.Task):
        message = f"{path} is not a Django task"
        raise dibs.Permanent(message)
    if task.takes_context:
        args = [base.TaskContext(task_result=task.get_result(ctx.job.id)), *args]
    close_old_connections()
    try:
        return task.call(*args, **kwargs)
    finally:
        close_old_connections()


class DibsBackend(backends.BaseTaskBackend):
    """Stores tasks as jobs of the app that has collected `blueprint`."""

    supports_defer = supports_async_task = supports_get_result = supports_priority = True

    def enqueue(self, task, args, kwargs):
        """Store a job, in the caller's transaction where there is one to join."""
        self.validate_task(task)
        job = run_task.get_app().sync.enqueue(
            run_task.name,
            {"path": task.module_path, "args": list(args), "kwargs": kwargs},
            queue=task.queue_name,
            priority=task.priority,
            run_at=task.run_after,
            connection=self._find_transaction(),
        )
        result = self._make_result(task, job, [])
        signals.task_enqueued.send(type(self), task_result=result)
        return result

    def get_result(self, result_id):
        """Read a job and its attempts."""
        app = run_task.get_app()
        job = app.sync.find_job(result_id)
        if job is None or job.job_type != run_task.name:
            raise exceptions.TaskResultDoesNotExist(result_id)
        return self._make_result(import_string(job.input["path"]), job, app.sync.run(list_attempts(app, job.id)))

    def _find_transaction(self):
        name = self.options.get("database")
        has_transaction = name is not None and connections[name].in_atomic_block
        return connections[name].connection if has_transaction else None

    def _make_result(self, task, job, attempts):
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
            backend=self.alias,
            errors=[describe(attempt.error) for attempt in attempts if attempt.error is not None],
            worker_ids=[attempt.worker for attempt in attempts],
        )
        object.__setattr__(result, "_return_value", job.output)
        return result


async def list_attempts(app, job_id):
    """Read every execution of a job."""
    return await (await app.backend()).reader.list_attempts(job_id)


def describe(error):
    """Tell an error as Django does, by the full name of its class, which stands in the traceback."""
    named = re.findall(rf"^((?:\w+\.)*{re.escape(error.type)})(?::|$)", error.traceback, re.MULTILINE)
    path = named[-1] if named else error.type
    return base.TaskError(exception_class_path=path if "." in path else f"builtins.{path}", traceback=error.traceback)
