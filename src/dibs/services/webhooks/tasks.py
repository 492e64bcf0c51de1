"""The job that brings a message, and the errand that finds out what there is to tell."""

from datetime import timedelta
from importlib.metadata import version
from typing import Any

from dibs.engine.errands import Errand
from dibs.engine.retry import RetryPolicy
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.engine.tasks.outcome import Cancel
from dibs.kit.links import split_url
from dibs.outside.transport.transport import Transport
from dibs.services.webhooks.collecting import Collector
from dibs.services.webhooks.delivering import Deliverer, Sending
from dibs.services.webhooks.model import DELIVER
from dibs.services.webhooks.settings import WebhookSettings
from dibs.storage.tables import Tables

COLLECT_EVERY = timedelta(seconds=1)
# 10 s, 30 s, … and at last 18 hours: about 27 hours altogether.
BACK_OFF = RetryPolicy(base=timedelta(seconds=10), factor=3.0, cap=timedelta(hours=24))
RETRIES = 9


def make_blueprint(*, app: Any, tables: Tables) -> Blueprint:
    """Collect the tasks of an installation, and have the log read."""
    transport = Transport(user_agent=f"dibs/{version('dibs')} (webhooks)")
    app.closers.append(transport.close)
    # Jobs that are merely in memory have no tables beside them, unless those are named.
    if split_url(app.url).scheme != "memory" or app.settings.tables_url:
        collector = Collector(tables, app.backend, app.enqueue)
        app.errands.append(Errand(name="webhooks", every=COLLECT_EVERY, do=collector.collect, makes_jobs=True))
    return make_tasks(Deliverer(tables, transport, WebhookSettings.from_env()))


def make_tasks(deliverer: Deliverer) -> Blueprint:
    """Make the tasks."""
    blueprint = Blueprint()

    @blueprint.task(DELIVER, max_retries=RETRIES, retry=BACK_OFF, timeout=60)
    async def deliver(ctx: Context, delivery: str) -> int | Cancel:
        is_last = ctx.job.errors >= ctx.job.max_retries
        return await deliverer.deliver(Sending(tenant=ctx.job.tenant, delivery_id=delivery, is_last=is_last))

    return blueprint
