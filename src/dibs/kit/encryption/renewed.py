"""What a look at everything that is encrypted has found."""

import msgspec

MOST_NAMED = 10


class Tally(msgspec.Struct, kw_only=True):
    """How many values stand as they should, were written anew, cannot be read; `named` says where some of these are.

    `ownerless` are plain, and nobody knows whose key they should have.
    """

    current: int = 0
    renewed: int = 0
    unreadable: int = 0
    ownerless: int = 0
    named: list[str] = msgspec.field(default_factory=list)

    def refuse(self, where: str) -> None:
        """Count what cannot be read."""
        self.unreadable += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(where)

    def add(self, other: "Tally") -> None:
        """Count what another has counted."""
        self.current += other.current
        self.renewed += other.renewed
        self.unreadable += other.unreadable
        self.ownerless += other.ownerless
        self.named = [*self.named, *other.named][:MOST_NAMED]
