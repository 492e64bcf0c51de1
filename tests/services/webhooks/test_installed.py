"""The whole way in an installation: a worker that runs on finds out by itself what there is to tell."""

import asyncio
from datetime import timedelta

import dibs
from dibs.assembly import furnish, make_directory, migrate_tables
from dibs.services.webhooks.actions import NewEndpoint, Postroom, add_endpoint
from dibs.services.webhooks.settings import WebhookSettings
from tests.outside.hostile import say
from tests.services.webhooks.conftest import BY


async def test_a_worker_of_an_installation_tells_what_its_jobs_do(tmp_path, monkeypatch, hostile):
    monkeypatch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
    monkeypatch.setenv("DIBS_WEBHOOKS_ALLOW_HOSTS", hostile.host)
    hostile.on("/hook", say(200))
    settings = dibs.Settings(url=f"sqlite:///{tmp_path}/dibs.db")
    app = dibs.Dibs(settings=settings)
    furnish(app)
    await migrate_tables(app)
    async with app:
        directory = make_directory(await app.backend(), settings=settings)
        async with directory.tables:
            room = Postroom(directory, await app.backend(), WebhookSettings.from_env())
            wanted = NewEndpoint(tenant="acme", url=hostile.url("/hook"), events=("job.finished",))
            _, secret = await add_endpoint(room, wanted, BY)
        worker = app.make_worker(grace=timedelta(seconds=5))
        running = asyncio.create_task(worker.run())
        await app.enqueue("PING", {"text": "marker"}, tenant="acme")
        async with asyncio.timeout(60):
            await hostile.arrived.wait()
        worker.stop()
        await running
    [asked] = hostile.asked
    assert dibs.verify_webhook(asked.body, asked.headers, secret)
    assert b"marker" not in asked.body


def test_jobs_in_memory_have_no_tables_to_look_into():
    app = dibs.Dibs("memory://")
    furnish(app)
    assert not [errand.name for errand in app.errands if "webhook" in errand.name]
