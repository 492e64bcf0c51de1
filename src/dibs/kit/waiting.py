"""Waiting with an end."""

import asyncio


async def wait_set(event: asyncio.Event, seconds: float) -> bool:
    """Wait until an event is set; False when the time is up.

    Not `asyncio.wait_for`: on Python 3.11 it can swallow a cancellation that comes together with the event.
    """
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
    except TimeoutError:
        return False
    return True
