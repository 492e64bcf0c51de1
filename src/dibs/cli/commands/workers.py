"""`dibs workers`: who is at work."""

from datetime import datetime

from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_workers
from dibs.cli.stores import on_store
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard


def list_workers(url: Url = None, *, as_json: AsJson = False) -> None:
    """List the workers that are alive.

    What they take, what they hold, since when.
    """
    cards, now = on_store(url, _read_cards)
    if as_json:
        output.show_json(shape_workers(cards))
        return
    if not cards:
        output.tell("No worker is alive. Start one: dibs worker --app module:app")
        return
    from dibs.cli.printing.tables import workers_table

    output.show(workers_table(cards, now))


async def _read_cards(backend: Backend) -> tuple[list[WorkerCard], datetime]:
    return await backend.workers.list_workers(), await backend.reader.now()
