"""What the whole installation has set down: gates, limits and sources. They stay, but whom they name is told."""

import msgspec

from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import Rule, TenantRule
from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct


class RulesHolding(Untraced):
    """Rules are about names that somebody gave to a queue, a key or a source. They hold for every tenant."""

    name = "rules"

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the rules that name the person."""
        rules = [rule for rule in await self._backend.admission.list_rules() if not _is_anothers(rule, inquiry.tenant)]
        sources = [source.rule for source in await self._backend.sources.list_sources()]
        told = [(type(one).__name__, one.name, msgspec.to_builtins(one)) for one in (*rules, *sources)]
        return [Held(kind=kind, id=name, data=data) for kind, name, data in told if inquiry.names(data)]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - nobody can say what holds then
        """Say what stays: without a rule more would run than somebody allowed."""
        count = len(await self.find(inquiry))
        said = f"{count} gates, limits or sources: they hold for everybody. Open or set them anew under other names."
        return Erased(kept=(said,) if count else ())


def _is_anothers(rule: Rule, tenant: str) -> bool:
    is_of_one = isinstance(rule, TenantRule) or (isinstance(rule, Gate) and rule.scope is GateScope.TENANT)
    return is_of_one and rule.name != tenant
