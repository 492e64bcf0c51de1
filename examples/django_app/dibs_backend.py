"""A backend for Django's tasks: `django.tasks` of Django 6, or the package django-tasks before it.

    TASKS = {"default": {"BACKEND": "dibs_backend.DibsBackend", "OPTIONS": {"database": "default"}}}

Collect `blueprint` in the app whose worker runs the tasks. With the option `database`, jobs are in that SQLite file:
a task enqueued inside `transaction.atomic()` commits with it. Of Django's signals, only `task_enqueued` is sent.
"""

from importlib import import_module

from dibs_results import base, list_attempts, make_result, tasks
from django.db import close_old_connections, connections
from django.utils.module_loading import import_string

import dibs

PARTS = ("backends.base", "exceptions", "signals")
backends, exceptions, signals = (import_module(f"{tasks.__name__}.{part}") for part in PARTS)
blueprint = dibs.Blueprint()


@blueprint.task("DJANGO_TASK")
def run_task(ctx, path: str, args: list, kwargs: dict):
    """Run what a job names, which must be a task: an input cannot call just anything."""
    task = import_string(path)
    if not isinstance(task, base.Task):
        raise dibs.Permanent(f"{path} is not a Django task")
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
        given = {"path": task.module_path, "args": list(args), "kwargs": kwargs}
        options = {"queue": task.queue_name, "priority": task.priority, "run_at": task.run_after}
        if "database" in self.options and connections[self.options["database"]].in_atomic_block:
            options["connection"] = connections[self.options["database"]].connection
        job = run_task.get_app().sync.enqueue(run_task.name, given, **options)
        signals.task_enqueued.send(type(self), task_result=(result := make_result(task, job, [], self.alias)))
        return result

    def get_result(self, result_id):
        """Read a job and its attempts."""
        app = run_task.get_app()
        job, attempts = app.sync.find_job(result_id), app.sync.run(list_attempts(app, result_id))
        if job is None or job.job_type != run_task.name:
            raise exceptions.TaskResultDoesNotExist(result_id)
        return make_result(import_string(job.input["path"]), job, attempts, self.alias)
