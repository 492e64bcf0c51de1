"""Rules and sources that are replaced only if they are still what somebody has read."""

import asyncio
from typing import Any

import pytest

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.admission.source import SourceRule
from dibs.engine.store.backend import Backend
from dibs.errors import RecordMoved
from dibs.testing.suite.ground import Ground, audit_of

RULES: dict[str, tuple[Rule, Rule]] = {
    "tenant": (TenantRule(name="acme", max_running=2), TenantRule(name="acme", max_running=3, weight=5)),
    "queue": (QueueRule(name="mail", fair=True), QueueRule(name="mail")),
    "key": (KeyRule(name="k", max_running=2), KeyRule(name="k", max_running=3)),
    "gate": (
        Gate(scope=GateScope.QUEUE, name="mail", mode=GateMode.CLOSED),
        Gate(scope=GateScope.QUEUE, name="mail", mode=GateMode.DRAIN),
    ),
}
BY: dict[str, Any] = {"actor": "op", "reason": "test"}


class Replacing(Ground):
    """Nobody overwrites what they have not seen, if they say what they have."""

    @pytest.mark.parametrize("kind", RULES)
    async def test_a_rule_is_replaced_once_by_those_who_have_read_the_same(self, backend: Backend, kind: str) -> None:
        first, second = RULES[kind]
        await backend.admission.set_rule(first, **BY)
        [read] = await backend.admission.list_rules()
        await backend.admission.replace_rule(read, second, **BY)
        after = await backend.admission.list_rules()
        with pytest.raises(RecordMoved):
            await backend.admission.replace_rule(read, first, **BY)
        assert await backend.admission.list_rules() == after

    async def test_a_rule_that_is_gone_is_replaced_by_nobody(self, backend: Backend) -> None:
        first, second = RULES["key"]
        with pytest.raises(RecordMoved):
            await backend.admission.replace_rule(first, second, **BY)
        assert await backend.admission.list_rules() == []
        assert await audit_of(backend, "key:k") == []

    async def test_of_many_who_replace_a_rule_at_once_one_does(self, backend: Backend) -> None:
        read = KeyRule(name="k", max_running=100)
        await backend.admission.set_rule(read, **BY)
        wanted = [KeyRule(name="k", max_running=number) for number in range(1, 9)]
        ends = await asyncio.gather(
            *(backend.admission.replace_rule(read, rule, **BY) for rule in wanted), return_exceptions=True
        )
        done = [rule for rule, end in zip(wanted, ends, strict=True) if end is None]
        assert [type(end) for end in ends if end is not None] == [RecordMoved] * 7
        assert await backend.admission.list_rules() == done

    async def test_of_many_who_declare_a_source_at_once_one_does(self, backend: Backend) -> None:
        read = (await backend.sources.declare(SourceRule(name="ebay", burst=100), **BY)).rule
        wanted = [SourceRule(name="ebay", burst=number) for number in range(1, 9)]
        ends = await asyncio.gather(
            *(backend.sources.replace(read, rule, **BY) for rule in wanted), return_exceptions=True
        )
        [done] = [end for end in ends if not isinstance(end, BaseException)]
        assert [type(end) for end in ends if end is not done] == [RecordMoved] * 7
        assert await backend.sources.find("ebay") == done

    async def test_a_source_that_was_paused_for_good_is_not_what_was_read(self, backend: Backend) -> None:
        read = (await backend.sources.declare(SourceRule(name="ebay", burst=5), **BY)).rule
        await backend.sources.pause("ebay", **BY)
        with pytest.raises(RecordMoved):
            await backend.sources.replace(read, SourceRule(name="ebay", burst=6), **BY)
        with pytest.raises(RecordMoved):
            await backend.sources.replace(SourceRule(name="none", enabled=True), SourceRule(name="none"), **BY)
        assert await backend.sources.find("none") is None
