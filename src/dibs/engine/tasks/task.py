"""A registered handler, and how to ask for it to be run."""

import inspect
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from dibs.engine.job import Job
from dibs.engine.retry import RetryPolicy
from dibs.engine.store.moves import UniqueRule
from dibs.engine.tasks.arguments import Arguments
from dibs.errors import BadInput
from dibs.kit.ids import new_id, new_ids
from dibs.kit.money import to_microcents

if TYPE_CHECKING:
    from dibs.engine.app import App

Params = ParamSpec("Params")
Result = TypeVar("Result")


class Mode(StrEnum):
    """Where a handler runs."""

    ASYNC = "async"
    THREAD = "thread"
    PROCESS = "process"


class TaskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for every job of a task, unless an enqueue says otherwise.

    `concurrency_key` may name arguments: `account:{account_id}`. `max_cost` is in cents, and is reserved of the
    tenant's budget while a job runs. `keep`: for how long finished jobs of this task are kept, if not like others.
    """

    queue: str = "default"
    priority: int = 0
    max_retries: int = 3
    retry: RetryPolicy = RetryPolicy()
    timeout: timedelta | None = None
    unique: UniqueRule = UniqueRule()
    source: str | None = None
    concurrency_key: str | None = None
    max_cost: Decimal | float = 0
    keep: timedelta | None = None


class EnqueueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What one enqueue may say. None leaves it to the task's settings."""

    tenant: str = "default"
    queue: str | None = None
    priority: int | None = None
    max_retries: int | None = None
    run_at: datetime | None = None
    delay: timedelta | None = None
    unique_key: str | None = None
    unique: UniqueRule | None = None
    concurrency_key: str | None = None
    source: str | None = None
    max_cost: Decimal | float | None = None
    parent_id: str | None = None
    id: str | None = None
    connection: Any = None


NO_OPTIONS = EnqueueOptions()


class Task(Generic[Params, Result]):
    """A handler with a name. Calling it runs the handler here and now; `enqueue` lets a worker do it."""

    def __init__(self, name: str, handler: Callable[Params, Result], *, mode: Mode, settings: TaskSettings) -> None:
        self.name = name
        self.handler = handler
        self.mode = mode
        self.settings = settings
        self.arguments = Arguments(handler, name=name)
        self.app: App | None = None

    def __call__(self, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return self.handler(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Task {self.name} {self.mode}>"

    async def enqueue(self, **arguments: Any) -> Job | None:
        """Store a job for this task. None: its unique key was taken."""
        return await self.with_options(NO_OPTIONS).enqueue(**arguments)

    async def enqueue_many(self, many: Sequence[dict[str, Any]]) -> list[Job | None]:
        """Store a job for each set of arguments, all or none."""
        return await self.with_options(NO_OPTIONS).enqueue_many(many)

    def options(self, **options: Any) -> "PreparedTask":
        """Say something about the next enqueue: `task.options(priority=5, tenant="acme").enqueue(…)`."""
        return self.with_options(make_options(options))

    def with_options(self, options: EnqueueOptions) -> "PreparedTask":
        """The same, with a record."""
        return PreparedTask(self, options)

    def make_job(self, given: Any, options: EnqueueOptions) -> Job:
        """Make the job that an enqueue stores."""
        template = self.settings.concurrency_key or ""
        if "{" in template and not options.concurrency_key:
            options = replace(options, concurrency_key=fill_in_key(template, self.arguments.fill_in(given)))
        return make_job(self.name, given, options, self.settings)

    def make_jobs(self, many: Sequence[Any], options: EnqueueOptions) -> list[Job]:
        """Make the jobs that one enqueue stores."""
        if "{" in (self.settings.concurrency_key or ""):
            return [self.make_job(given, options) for given in many]
        return make_jobs(self.name, many, options, self.settings)

    def get_app(self) -> "App":
        """Give the app that this task belongs to."""
        if self.app is None:
            message = f"task {self.name!r} belongs to no app yet. Collect its blueprint first: app.include(blueprint)."
            raise BadInput(message)
        return self.app


class PreparedTask:
    """A task, and what to say about its next jobs."""

    def __init__(self, task: Task[Any, Any], options: EnqueueOptions) -> None:
        self._task = task
        self._options = options

    async def enqueue(self, **arguments: Any) -> Job | None:
        """Store one job."""
        given = self._task.arguments.write(arguments)
        return await self._task.get_app().enqueue_task(self._task, given, self._options)

    async def enqueue_many(self, many: Sequence[dict[str, Any]]) -> list[Job | None]:
        """Store a job for each set of arguments, all or none."""
        given = self._task.arguments.write_all(many)
        return await self._task.get_app().enqueue_tasks(self._task, given, self._options)


def make_options(options: dict[str, Any]) -> EnqueueOptions:
    """Make the record of an enqueue's options, refusing those that do not exist."""
    unknown = sorted(set(options) - set(EnqueueOptions.__struct_fields__))
    if unknown:
        known = ", ".join(EnqueueOptions.__struct_fields__)
        message = f"enqueue has no option {unknown[0]!r}. It has: {known}."
        raise BadInput(message)
    return EnqueueOptions(**options)


def make_job(job_type: str, given: Any, options: EnqueueOptions, settings: TaskSettings) -> Job:
    """Put a job together from its input, the enqueue's options and the task's settings."""
    return Job(
        id=new_id() if options.id is None else options.id,
        job_type=job_type,
        tenant=options.tenant,
        queue=settings.queue if options.queue is None else options.queue,
        priority=settings.priority if options.priority is None else options.priority,
        input=given,
        max_retries=settings.max_retries if options.max_retries is None else options.max_retries,
        run_at=options.run_at,
        unique_key=options.unique_key,
        concurrency_key=options.concurrency_key or settings.concurrency_key,
        source=options.source or settings.source,
        parent_id=options.parent_id,
        max_cost_microcents=to_microcents(settings.max_cost if options.max_cost is None else options.max_cost),
    )


def make_jobs(job_type: str, many: Sequence[Any], options: EnqueueOptions, settings: TaskSettings) -> list[Job]:
    """Put jobs together that differ only in their inputs and ids."""
    if len(many) == 1:
        return [make_job(job_type, many[0], options, settings)]
    pattern = make_job(job_type, {}, options, settings)
    ids = new_ids(len(many))
    return [replace(pattern, id=job_id, input=given) for job_id, given in zip(ids, many, strict=True)]


def fill_in_key(template: str, given: Any) -> str:
    """Make a concurrency key of a task's template and a job's arguments: `account:{account_id}`."""
    try:
        return template.format_map(given)
    except (KeyError, IndexError, ValueError, TypeError) as cause:
        message = f"concurrency_key {template!r} names something that the arguments {given!r} do not have: {cause}."
        raise BadInput(message) from cause


def find_mode(handler: Callable[..., Any], *, is_cpu_bound: bool) -> Mode:
    """Say where a handler runs: coroutines on the event loop, CPU-bound ones in a process, the rest in a thread."""
    is_async = inspect.iscoroutinefunction(handler)
    if is_cpu_bound and is_async:
        message = (
            f"{handler.__qualname__} is async and CPU-bound. Make it a plain function, so that a process can run it."
        )
        raise BadInput(message)
    if is_cpu_bound:
        return Mode.PROCESS
    return Mode.ASYNC if is_async else Mode.THREAD


def without_id(options: EnqueueOptions) -> EnqueueOptions:
    """The options for many jobs: one id cannot serve them all."""
    return replace(options, id=None)
