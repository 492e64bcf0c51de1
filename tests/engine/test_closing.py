"""Closing a handle."""

import pytest
from msgspec.structs import replace

from dibs import Backend, Job, Settings, StoreError
from dibs.backends.memory import build_parts


async def test_a_close_that_is_refused_leaves_the_handle_as_it_was() -> None:
    async def refuse() -> None:
        raise StoreError("opened in another event loop")

    backend = Backend(replace(build_parts(), close=refuse), Settings())
    with pytest.raises(StoreError, match="another event loop"):
        await backend.close()
    assert await backend.store_job(Job(id="job", job_type="test")) is not None
