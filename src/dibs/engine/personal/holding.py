"""What a part of the house that holds something about people must do."""

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is held. `content` is a file; everything else is `data`, as JSON has it."""

    kind: str
    id: str
    data: Any = None
    content: bytes | None = None


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """How many things are gone, and what stays, each with its reason."""

    count: int = 0
    kept: tuple[str, ...] = ()


class Holding(Protocol):
    """Something that holds data about people: tables, files, an index, a queue.

    `make_holding(…)` in a file `holdings.py` of a service or an app gives one; it asks by name for `app`, `settings`,
    `tables`, as `make_blueprint` does.
    """

    name: str

    async def trace(self, inquiry: Inquiry) -> Iterable[str]:
        """Give further references to the person, such as the key of a document that only a job names."""

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Read all that is held."""

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:
        """Forget all that is held. Doing it again finds nothing, and does no harm."""


class Untraced:
    """For a holding that knows no further references."""

    async def trace(self, inquiry: Inquiry) -> Iterable[str]:  # noqa: ARG002 - whoever it is
        """None."""
        return ()


class Unseen(Untraced):
    """Stands for something that may hold data and cannot be looked at here, so that nobody takes it for searched."""

    def __init__(self, name: str, *, missing: str) -> None:
        self.name = name
        self._missing = missing

    async def find(self, inquiry: Inquiry) -> list[Held]:  # noqa: ARG002 - nobody can tell
        """Nothing that could be told."""
        return []

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - nobody can tell
        """Erase nothing, and say so."""
        said = (
            f"whatever {self.name} holds: it was not looked at, for want of {self._missing}. Erase again where it is."
        )
        return Erased(kept=(said,))
