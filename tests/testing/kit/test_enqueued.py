"""What was enqueued, and what a failing assertion says about it."""

import asyncio
from datetime import timedelta
from unittest.mock import ANY

import pytest

from dibs import BadInput, Job, OnConflict, UniqueRule
from dibs.testing import Kit, SqliteStore

WEEK = timedelta(days=7)


async def test_a_job_is_found_by_everything_that_can_be_said_of_it(kit, office):
    job = await office.note.options(
        tenant="acme", queue="slow", priority=3, delay=WEEK, unique_key="k", max_retries=1
    ).enqueue(text="hello")
    found = kit.assert_enqueued(
        "NOTE", tenant="acme", queue="slow", priority=3, delay=WEEK, unique_key="k", max_retries=1, id=job.id, times=1
    )
    assert found == job
    assert kit.assert_enqueued(office.note, run_at=kit.now + WEEK) == job


async def test_an_input_is_matched_in_part_and_in_depth(kit, office):
    given = {"to": "ada", "address": {"city": "London", "zip": "N1"}, "tags": ["a"]}
    await office.app.enqueue("LETTER", given)
    kit.assert_enqueued("LETTER", input={"to": "ada"})
    kit.assert_enqueued("LETTER", input={"address": {"city": "London"}, "tags": ["a"]})
    kit.assert_enqueued("LETTER", input__address__city="London", input__to=ANY)
    kit.assert_not_enqueued("LETTER", input={"address": {"city": "Paris"}})
    kit.assert_not_enqueued("LETTER", input__address__street=ANY, input__to="bob")


async def test_every_way_of_enqueueing_is_seen(kit, office):
    await office.app.enqueue("NOTE", {"text": "by name"})
    await office.note.options().enqueue_many([{"text": "one of many"}, {"text": "another"}])
    await asyncio.to_thread(office.app.sync.enqueue, "NOTE", {"text": "without async"})
    await (await office.app.backend()).copy_jobs([Job(job_type="NOTE", input={"text": "copied"})])
    await kit.run(office.fan_out, to=["a child"])
    texts = [job.input["text"] for job in kit.enqueued(office.note)]
    assert texts == ["by name", "one of many", "another", "without async", "copied", "a child"]
    assert [job.job_type for job in kit.enqueued()][-2:] == ["FAN_OUT", "NOTE"]


async def test_a_child_knows_its_parent(kit, office):
    parent = await kit.run(office.fan_out.options(tenant="acme"), to=["ada"])
    kit.assert_enqueued("NOTE", parent_id=parent.id, tenant="acme")


async def test_a_job_is_remembered_as_it_was_enqueued(kit, office):
    await kit.run(office.note, text="hello")
    [job] = kit.enqueued("NOTE")
    assert job.state == "pending"


async def test_a_job_kept_out_by_a_unique_key_was_not_enqueued(kit, office):
    keyed = office.note.options(unique_key="k")
    await keyed.enqueue(text="first")
    await keyed.enqueue(text="second")
    await office.note.options(unique_key="k", unique=UniqueRule(on_conflict=OnConflict.RETURN)).enqueue(text="third")
    kit.assert_enqueued("NOTE", times=1, input__text="first")


async def test_a_replaced_job_counts_once_with_its_new_input(kit, office):
    replacing = office.note.options(unique_key="k", unique=UniqueRule(on_conflict=OnConflict.REPLACE))
    await replacing.enqueue(text="first")
    await replacing.enqueue(text="second")
    kit.assert_enqueued("NOTE", times=1, input__text="second")


async def test_what_was_forgotten_does_not_count(kit, office):
    await office.note.enqueue(text="before")
    kit.forget_enqueued()
    kit.assert_not_enqueued("NOTE")


async def test_a_job_whose_transaction_was_rolled_back_was_not_enqueued(office, tmp_path):
    store = SqliteStore(tmp_path)
    async with Kit(office.app, store=store) as kit:
        with pytest.raises(ZeroDivisionError):
            await enqueue_and_fail(store, office)
        async with store.transaction() as connection:
            await office.note.options(connection=connection).enqueue(text="kept")
        kit.assert_enqueued("NOTE", times=1, input__text="kept")


async def enqueue_and_fail(store, office):
    async with store.transaction() as connection:
        await office.note.options(connection=connection).enqueue(text="undone")
        raise ZeroDivisionError


async def test_a_failing_assertion_shows_what_was_enqueued_instead(kit, office):
    await office.note.options(tenant="acme").enqueue(text="hello")
    await office.trouble.options(queue="slow", delay=WEEK).enqueue()
    with pytest.raises(AssertionError) as caught:
        kit.assert_enqueued("NOTE", input__text="bye", tenant="acme", input__lang="en")
    assert str(caught.value) == (
        "NOTE with input.text='bye', tenant='acme', input.lang='en' was not enqueued. These were enqueued:\n"
        "  1. NOTE  input={'text': 'hello'}  tenant=acme\n"
        "       ↳ input.text is 'hello', input.lang is missing\n"
        "  2. TROUBLE  input={}  queue=slow  delay=7 days, 0:00:00"
    )


async def test_a_wrong_number_is_told(kit, office):
    await office.note.enqueue(text="hello")
    await office.note.enqueue(text="hello")
    with pytest.raises(AssertionError, match=r"NOTE was enqueued 2 times, not once\.(?s:.*)this is one"):
        kit.assert_enqueued("NOTE", times=1)
    with pytest.raises(AssertionError, match=r"NOTE was enqueued 2 times\."):
        kit.assert_not_enqueued("NOTE")


async def test_nothing_at_all_is_told_too(kit, office):
    with pytest.raises(AssertionError, match=r"^NOTE was not enqueued\. Nothing was\.$"):
        kit.assert_enqueued("NOTE")


async def test_long_inputs_and_lists_are_cut(kit, office):
    await office.note.options().enqueue_many([{"text": "x" * 1000}] * 60)
    with pytest.raises(AssertionError) as caught:
        kit.assert_enqueued("OTHER")
    lines = str(caught.value).splitlines()
    assert len(lines) == 52
    assert max(map(len, lines)) < 300
    assert lines[-1] == "  … and 10 more"


async def test_a_question_that_makes_no_sense_is_refused(kit, office):
    with pytest.raises(BadInput, match=r"'colour'.*input__<name>.*tenant"):
        kit.assert_not_enqueued("NOTE", colour="red")
    with pytest.raises(BadInput, match="assert_not_enqueued"):
        kit.assert_enqueued("NOTE", times=0)
