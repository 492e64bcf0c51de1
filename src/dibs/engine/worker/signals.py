"""What a worker's process does when it is told to go."""

import asyncio
import os
import signal

from dibs.engine.worker.worker import Worker


def stop_on_signals(worker: Worker) -> None:
    """The first SIGTERM or SIGINT stops the worker gently, the second at once."""
    loop = asyncio.get_running_loop()
    is_stopping = False

    # Handlers of the event loop would not do: it drops a second signal that comes while it changes them for the first.
    def on_signal(number: int, _: object) -> None:
        nonlocal is_stopping
        if is_stopping:
            # The leases lapse, and other workers take the jobs over.
            os._exit(128 + number)
        is_stopping = True
        loop.call_soon_threadsafe(worker.stop)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
