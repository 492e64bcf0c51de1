"""The same on PostgreSQL, where roles and row-level security stand before every row."""

import pytest
from sqlalchemy import select

from dibs.errors import StoreError
from dibs.services.resumes.uploads.tables import CORRECTIONS, UPLOADS
from dibs.storage.sight import sight_of
from tests.services.resumes.uploads.conftest import hand_in
from tests.tables import empty

WHY = {"reason": "a test"}


@pytest.fixture
async def url(migrated_schema):
    yield migrated_schema
    await empty(migrated_schema)


async def test_a_resume_is_handed_in_corrected_read_again_by_a_worker_and_forgotten(acme, globex, drain):
    made = await hand_in(acme)
    changed = await acme.patch(f"/resumes/{made['id']}", json={"fields": {"basics.name": "Janet Roe"}, **WHY})
    assert changed.status_code == 200, changed.text
    assert (await acme.post(f"/resumes/{made['id']}/read", json=WHY)).status_code == 202
    await drain()
    found = (await acme.get(f"/resumes/{made['id']}")).json()
    assert (found["state"], found["round"], found["resume"]["basics"]["name"]) == ("done", 2, "Janet Roe")
    assert (await globex.get(f"/resumes/{made['id']}")).status_code == 404
    assert (await acme.delete(f"/resumes/{made['id']}", params=WHY)).status_code == 204


async def test_a_worker_sees_no_corrections_and_nobody_another_tenants_rows(acme, tables, worker_tables):
    made = await hand_in(acme)
    await acme.patch(f"/resumes/{made['id']}", json={"fields": {"basics.name": "Janet Roe"}, **WHY})
    async with tables.reading(sight_of("globex")) as transaction:
        assert await transaction.fetch(select(UPLOADS)) == []
        assert await transaction.fetch(select(CORRECTIONS)) == []
    with pytest.raises(StoreError):
        async with worker_tables.reading(sight_of("acme")) as transaction:
            await transaction.fetch(select(CORRECTIONS))
