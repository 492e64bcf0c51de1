"""HEAD answers as GET does, without the body."""

import asyncio
import re

import httpx
import pytest

from tests.server.conftest import connect, enqueue, serving
from tests.server.doors.test_doors import DOORS
from tests.server.keys import ACME, NOTHING

READING = sorted({path for method, path, _ in DOORS if method == "GET" and not path.endswith("events")})
UNLIKE = {"x-request-id", "date", "content-length"}


@pytest.mark.parametrize("path", READING)
async def test_a_head_is_the_head_of_the_get(acme, path):
    url = re.sub(r"{\w+}", "x", path)
    url = f"http://dibs.test{url}" if url.startswith("/api/") else url
    got, headed = await acme.get(url), await acme.head(url)
    assert (headed.status_code, headed.content) == (got.status_code, b"")
    assert {k: v for k, v in headed.headers.items() if k not in UNLIKE} == {
        k: v for k, v in got.headers.items() if k not in UNLIKE
    }


async def test_a_head_needs_the_scope_and_changes_nothing(server, acme):
    job = await enqueue(acme)
    async with connect(server, NOTHING) as poor:
        assert (await poor.head(f"/jobs/{job['id']}")).status_code == 403
    refused = await acme.head(f"/jobs/{job['id']}/cancel")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert (await acme.request("PATCH", "/jobs")).headers["allow"] == "GET, HEAD, POST"


async def test_the_head_of_a_stream_comes_over_a_real_connection_and_leaves_nobody_watching(server):
    async with serving(server) as (host, port), asyncio.timeout(60):
        headers = {"Authorization": f"Bearer {ACME}"}
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}/api/v1", headers=headers) as client:
            for _ in range(2):
                headed = await client.head("/events")
                assert headed.headers["content-type"].startswith("text/event-stream")
            assert (await client.head("/jobs")).headers["content-length"] == str(
                len((await client.get("/jobs")).content)
            )
            assert (await client.head(f"http://{host}:{port}/health/live")).status_code == 200
        while server.state.hub.watchers:
            await asyncio.sleep(0.01)
