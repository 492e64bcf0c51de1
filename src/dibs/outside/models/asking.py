"""A way to a model as long as it is needed, if one was named."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from dibs.outside.extra import name_extra
from dibs.outside.models.question import Question
from dibs.outside.models.settings import ModelSettings

Ask = Callable[[Question], Awaitable[Any]]


@asynccontextmanager
async def open_ask(settings: ModelSettings) -> AsyncIterator[Ask | None]:
    """Give a function that asks the model that the settings name, or None where they name none."""
    if not settings.is_on:
        yield None
        return
    try:
        from dibs.outside.models.chat import ChatModel  # noqa: PLC0415 - only who asks needs the client
        from dibs.outside.transport.transport import Transport  # noqa: PLC0415 - the same
    except ModuleNotFoundError as cause:
        raise name_extra(cause, "crawl") from cause
    async with Transport() as transport:
        yield ChatModel(settings, transport).ask
