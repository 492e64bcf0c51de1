"""Tasks and schedules declared without an app, collected later."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from dibs.engine.retry import RetryPolicy
from dibs.engine.schedules.declaring import declare_schedule, make_timing
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.store.checks.values import LONGEST_SPAN, check_name, check_optional_name, check_span, shown
from dibs.engine.store.moves import UniqueRule
from dibs.engine.tasks.task import Mode, Task, TaskSettings, find_mode
from dibs.errors import BadInput

Params = ParamSpec("Params")
Result = TypeVar("Result")
SETTINGS = TaskSettings.__struct_fields__


class Blueprint:
    """A set of tasks and schedules. Declaring one opens nothing and starts nothing."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task[Any, Any]] = {}
        self.schedules: dict[tuple[str, str], Schedule] = {}

    def task(
        self, name: str | None = None, *, cpu_bound: bool = False, **settings: Any
    ) -> Callable[[Callable[Params, Result]], Task[Params, Result]]:
        """Register a handler: `@app.task("EMAIL_SEND", max_retries=5, timeout=30)`.

        Settings: queue, priority, max_retries, retry, timeout (a timedelta or seconds), unique.
        """
        checked = _make_settings(settings)

        def register(handler: Callable[Params, Result]) -> Task[Params, Result]:
            mode = find_mode(handler, is_cpu_bound=cpu_bound)
            task = Task(name or handler.__name__, handler, mode=mode, settings=checked)
            self.add(task)
            return task

        return register

    def add(self, task: Task[Any, Any]) -> None:
        """Take in a task; two tasks cannot share a name."""
        check_name(task.name, "task name")
        if self.tasks.get(task.name, task) is not task:
            message = f"two tasks are called {task.name!r}. Give one of them another name."
            raise BadInput(message)
        self.tasks[task.name] = task

    def schedule(
        self,
        name: str,
        when: str | timedelta,
        task: Task[Any, Any] | str,
        *,
        timezone: str | None = None,
        **options: Any,
    ) -> Schedule:
        """Have a task run by itself: `app.schedule("nightly", "0 3 * * *", tidy, timezone="Europe/Berlin")`.

        `when` is a cron expression (in UTC unless a time zone is given) or a timedelta. Options: input, tenant, queue,
        priority, max_retries, instant_as, misfire, catch_up_limit, overlap, grace, start_at, end_at, anchor. The
        workers of the app store it when they start.
        """
        timing = make_timing(when, timezone=timezone, anchor=options.pop("anchor", None))
        known = self.tasks.get(task, task) if isinstance(task, str) else task
        declared = declare_schedule(name, timing, known, options.pop("input", None), options)
        self.add_schedule(declared)
        return declared

    def add_schedule(self, schedule: Schedule) -> None:
        """Take in a schedule; two of a tenant cannot share a name."""
        key = schedule.tenant, schedule.name
        if self.schedules.get(key, schedule) is not schedule:
            message = f"two schedules of tenant {schedule.tenant!r} are called {schedule.name!r}. Rename one of them."
            raise BadInput(message)
        self.schedules[key] = schedule

    def find_tasks(self, mode: Mode) -> tuple[str, ...]:
        """Name the tasks that run in a certain way."""
        return tuple(name for name, task in self.tasks.items() if task.mode is mode)


def _make_settings(settings: dict[str, Any]) -> TaskSettings:
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        message = f"a task has no setting {unknown[0]!r}. It has: {', '.join(SETTINGS)}, cpu_bound."
        raise BadInput(message)
    checked = TaskSettings(**{**settings, "timeout": _read_timeout(settings.get("timeout"))})
    check_optional_name(checked.source, "source")
    check_optional_name(checked.concurrency_key, "concurrency_key")
    if checked.keep is not None:
        check_span(checked.keep, "keep")
    for field, kind in (("retry", RetryPolicy), ("unique", UniqueRule)):
        if not isinstance(getattr(checked, field), kind):
            message = f"{field} {shown(getattr(checked, field))}: use a {kind.__name__}."
            raise BadInput(message)
    return checked


def _read_timeout(timeout: Any) -> timedelta | None:
    if timeout is None:
        return None
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if is_number and not 0 < timeout < LONGEST_SPAN.total_seconds():
        message = f"timeout {shown(timeout)}: use a number of seconds above 0, or a timedelta."
        raise BadInput(message)
    span = timedelta(seconds=timeout) if is_number else timeout
    check_span(span, "timeout", least=timedelta(milliseconds=1))
    return span
