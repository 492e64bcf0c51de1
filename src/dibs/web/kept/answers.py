"""Kept answers in the tables: the same in every process, and after a restart."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import ColumnElement, RowMapping, delete, select, update

from dibs.errors import StoreError
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction
from dibs.web.idempotency import KEPT_FOR, KeptAnswer, Ticket, recall
from dibs.web.kept.tables import ANSWERS

# No request takes so long: whoever took the name has died, and another may have it.
LONGEST_ANSWER = timedelta(minutes=2)
MOST_OWED = 1_000
LONGEST_OWED = 64 * 1024
_NONCE = 12


class Owed(msgspec.Struct, frozen=True):
    """What the tables were away for: an answer that is to be kept, or a name that is to be let go."""

    ticket: Ticket
    sealed: bytes | None = None


class TableAnswers:
    """Answers in the tables, each under its caller's tenant.

    What cannot be written because the tables are away is written with the next request of the tenant: otherwise whoever
    asks again would be told for minutes that the first request is still under way.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._owed: dict[str, Owed] = {}

    async def begin(self, ticket: Ticket) -> KeptAnswer | None:
        """Take the name, or give what was answered."""
        owed = {holder: one for holder, one in self._owed.items() if one.ticket.tenant == ticket.tenant}
        with self._owing(Owed(ticket)):
            async with self._tables.writing(sight_of(ticket.tenant)) as transaction:
                await _settle(transaction, owed)
                await _forget_old(transaction)
                is_ours = await _take(transaction, ticket) or await _take_over(transaction, ticket)
                question = select(ANSWERS).where(ANSWERS.c.name == ticket.name)
                found = None if is_ours else await transaction.find(question)
        for holder in owed:
            self._owed.pop(holder, None)
        return None if found is None else recall(ticket, found["digest"], _open(ticket, found))

    async def finish(self, ticket: Ticket, answer: KeptAnswer) -> None:
        """Keep the answer, if the name is still ours."""
        await self._write(Owed(ticket, _seal(ticket, answer)))

    async def abandon(self, ticket: Ticket) -> None:
        """Let the name go."""
        await self._write(Owed(ticket))

    async def _write(self, one: Owed) -> None:
        with self._owing(one):
            async with self._tables.writing(sight_of(one.ticket.tenant)) as transaction:
                await _settle(transaction, {one.ticket.holder: one})

    @contextmanager
    def _owing(self, one: Owed) -> Iterator[None]:
        try:
            yield
        except StoreError:
            if len(one.sealed or b"") <= LONGEST_OWED:
                self._owed[one.ticket.holder] = one
            if len(self._owed) > MOST_OWED:
                del self._owed[next(iter(self._owed))]
            raise


async def _settle(transaction: Transaction, owed: Mapping[str, Owed]) -> None:
    let_go = [one.ticket for one in owed.values() if one.sealed is None]
    if let_go:
        names, holders = [one.name for one in let_go], [one.holder for one in let_go]
        await transaction.change(delete(ANSWERS).where(ANSWERS.c.name.in_(names) & ANSWERS.c.holder.in_(holders)))
    for one in owed.values():
        if one.sealed is not None:
            await transaction.change(update(ANSWERS).where(_is_held_by(one.ticket)).values(answer=one.sealed))


async def _forget_old(transaction: Transaction) -> None:
    await transaction.change(delete(ANSWERS).where(ANSWERS.c.begun_at <= transaction.now - KEPT_FOR))


async def _take(transaction: Transaction, ticket: Ticket) -> bool:
    row = {"name": ticket.name, "digest": ticket.digest, "holder": ticket.holder}
    return await transaction.add_if_new(ANSWERS, **row, begun_at=transaction.now)


async def _take_over(transaction: Transaction, ticket: Ticket) -> bool:
    is_left = ANSWERS.c.answer.is_(None) & (ANSWERS.c.begun_at <= transaction.now - LONGEST_ANSWER)
    is_same = (ANSWERS.c.name == ticket.name) & (ANSWERS.c.digest == ticket.digest)
    change = update(ANSWERS).where(is_same & is_left).values(holder=ticket.holder, begun_at=transaction.now)
    return await transaction.change(change) == 1


def _is_held_by(ticket: Ticket) -> ColumnElement[bool]:
    return (ANSWERS.c.name == ticket.name) & (ANSWERS.c.holder == ticket.holder)


def _seal(ticket: Ticket, answer: KeptAnswer) -> bytes:
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(ticket.seal).encrypt(nonce, msgspec.msgpack.encode(answer), ticket.name.encode())


def _open(ticket: Ticket, row: RowMapping) -> KeptAnswer | None:
    sealed: bytes | None = row["answer"]
    if sealed is None or row["digest"] != ticket.digest:
        return None
    plain = AESGCM(ticket.seal).decrypt(sealed[:_NONCE], sealed[_NONCE:], ticket.name.encode())
    return msgspec.msgpack.decode(plain, type=KeptAnswer)
