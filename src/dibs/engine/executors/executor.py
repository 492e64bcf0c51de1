"""What a way of running handlers must do."""

from collections.abc import Awaitable
from typing import Any, Protocol

from dibs.engine.job import Job
from dibs.engine.tasks.context import Context, Desk, Facts
from dibs.engine.tasks.task import Task


class WorkerCrashed(Exception):
    """The process that ran a handler died."""


class WorkerDied(BaseException):
    """The worker's process counts as gone, from here on. Raise it from a fake of your own to die in a handler.

    It is no Exception, so that a handler's `except Exception` does not survive its own death.
    """


class Executor(Protocol):
    """Runs handlers of one mode."""

    async def start(self) -> None:
        """Get ready."""

    async def stop(self) -> None:
        """Let go of threads and processes."""

    def make_facts(self, job: Job, desk: Desk) -> Facts:
        """Make what the handler will be told."""

    def call(self, task: Task[Any, Any], facts: Any, arguments: dict[str, Any]) -> Awaitable[Any]:
        """Run the handler; when this is cancelled, stop it as well as this mode can."""


class LoopExecutor:
    """Runs async handlers on the worker's own event loop."""

    async def start(self) -> None:
        """Nothing to get ready."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    def make_facts(self, job: Job, desk: Desk) -> Context:
        """Make the context of an async handler."""
        return Context(job, desk)

    def call(self, task: Task[Any, Any], facts: Any, arguments: dict[str, Any]) -> Awaitable[Any]:
        """Give what the handler itself gives to await: a coroutine around it would cost every job one more."""
        handling: Awaitable[Any]
        handling = task.handler(facts, **arguments) if task.arguments.wants_context else task.handler(**arguments)
        return handling
