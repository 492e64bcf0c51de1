"""Profiles, runs with what agents sent in, and postings that name somebody to write to."""

from collections.abc import Iterable

from dibs.apps.postings.claims import erasing
from dibs.apps.postings.claims.searching import Rows, Seen
from dibs.engine.personal.holding import Erased, Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

_MOST_LOOKS = 5
_OVERTAKEN = "all of it: each time it was looked through, the person's runs had reported more by then. Erase once more."


def make_holding(*, tables: Tables) -> "PostingsHolding":
    """Give the runs and postings of an installation."""
    return PostingsHolding(tables)


class PostingsHolding:
    """A profile is erased with its variants. One that names the person in an answer is somebody else's.

    Of a run, what was sent in is erased; that there was one stays, so that nobody applies once more.

    What the person has only approved is somebody else's.

    In a posting, in acts and in errors, the references themselves are taken out of the text.
    """

    name = "postings"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def trace(self, inquiry: Inquiry) -> Iterable[str]:
        """Give where employers reach the person and nobody else: mails and resumes know them by that."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            return (await erasing.find_contacts(transaction, inquiry))[0]

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give what names the person."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            found = await erasing.find_rows(transaction, inquiry)
        return [
            Held(kind=kind, id=str(row["id"]), data={name: str(value) for name, value in row.items()})
            for kind, rows in found.items()
            for row in rows
        ]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget it, in one transaction. Looking for it takes long, and keeps nobody from writing."""
        kept: list[str] = []
        gone: Rows | None = None
        for _ in range(_MOST_LOOKS):
            seen, kept = await self._look(inquiry)
            gone = await self._forget(inquiry, seen)
            if gone is not None:
                break
        if gone is None:
            return Erased(kept=(_OVERTAKEN,))
        said = "out of whose answers they were taken. If it is theirs, erase it by its name."
        kept += [f"the profile {name!r}, {said}" for name in erasing.list_others(inquiry, gone)]
        return Erased(count=sum(map(len, gone.values())), kept=tuple(kept))

    async def _look(self, inquiry: Inquiry) -> tuple[Seen, list[str]]:
        """Give what names the person, and what of it stays."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            seen = Seen(await erasing.find_rows(transaction, inquiry), transaction.now)
            runs, caps = await erasing.count_lasting(transaction, inquiry)
            shared = (await erasing.find_contacts(transaction, inquiry))[1]
        told = (
            (runs, "runs by their ids: nobody is to apply once more"),
            (caps, "caps on a company that is called so"),
            (len(shared), "addresses where others are reached, too: what names the person by these alone stays"),
        )
        return seen, [f"{many} {what}" for many, what in told if many]

    async def _forget(self, inquiry: Inquiry, seen: Seen) -> Rows | None:
        """Forget what was seen, and give what is gone; None: the look was overtaken."""
        if not seen.rows:
            return {}
        async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
            found = await erasing.find_rows(transaction, inquiry, seen)
            if erasing.has_grown(seen.rows, found):
                return None
            await erasing.erase_rows(transaction, inquiry, found)
        return found
