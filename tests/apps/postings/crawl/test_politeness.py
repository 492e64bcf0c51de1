"""Boards are asked at an even pace."""

import dibs
from dibs.apps.postings.crawl.politeness import declare_pace
from dibs.engine.admission.source import SourceRule


async def test_the_first_crawl_declares_a_pace_and_leaves_one_that_is_there_alone():
    async with await dibs.open_backend("memory://") as backend:
        await declare_pace(backend, "Greenhouse")
        found = await backend.sources.find("greenhouse")
        assert found is not None
        assert (found.rule.rate_limit_per_minute, found.rule.burst) == (60, 5)
        await backend.sources.declare(SourceRule(name="lever"), actor="ada", reason="we have a contract")
        await declare_pace(backend, "lever")
        lever = await backend.sources.find("lever")
        assert lever is not None
        assert lever.rule.rate_limit_per_minute is None
