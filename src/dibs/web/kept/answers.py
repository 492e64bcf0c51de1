"""Kept answers in the tables: the same in every process, and after a restart."""

import os
from datetime import timedelta

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import ColumnElement, RowMapping, delete, select, update

from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction
from dibs.web.idempotency import KEPT_FOR, KeptAnswer, Ticket, recall
from dibs.web.kept.tables import ANSWERS

# No request takes so long: whoever took the name has died, and another may have it.
LONGEST_ANSWER = timedelta(minutes=2)
_NONCE = 12


class TableAnswers:
    """Answers in the tables, each under its caller's tenant."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def begin(self, ticket: Ticket) -> KeptAnswer | None:
        """Take the name, or give what was answered."""
        async with self._tables.writing(sight_of(ticket.tenant)) as transaction:
            await _forget_old(transaction)
            if await _take(transaction, ticket) or await _take_over(transaction, ticket):
                return None
            found = await transaction.find(select(ANSWERS).where(ANSWERS.c.name == ticket.name))
        return None if found is None else recall(ticket, found["digest"], _open(ticket, found))

    async def finish(self, ticket: Ticket, answer: KeptAnswer) -> None:
        """Keep the answer, if the name is still ours."""
        sealed = _seal(ticket, answer)
        async with self._tables.writing(sight_of(ticket.tenant)) as transaction:
            await transaction.change(update(ANSWERS).where(_is_held_by(ticket)).values(answer=sealed))

    async def abandon(self, ticket: Ticket) -> None:
        """Let the name go."""
        async with self._tables.writing(sight_of(ticket.tenant)) as transaction:
            await transaction.change(delete(ANSWERS).where(_is_held_by(ticket)))


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
