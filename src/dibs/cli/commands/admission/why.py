"""`dibs jobs why`: why a job is not running."""

from datetime import datetime
from typing import Annotated

import typer

from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.stores import on_store
from dibs.engine.admission.explaining import Explanation, explain
from dibs.engine.store.backend import Backend

JobId = Annotated[str, typer.Argument(metavar="ID", help="The id of the job.")]


def show_why(job_id: JobId, url: Url = None, *, as_json: AsJson = False) -> None:
    """Tell why a job is not running.

    Not due, a gate, its source, its key, its tenant's cap or budget, or no worker that takes it.
    """

    async def ask(backend: Backend) -> tuple[Explanation, datetime]:
        return await explain(backend, job_id), await backend.reader.now()

    explanation, now = on_store(url, ask)
    if as_json:
        output.show_json(explanation)
        return
    from dibs.cli.printing.governed import explanation_view

    output.show(explanation_view(explanation, now))
