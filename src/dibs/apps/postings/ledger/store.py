"""Every statement on the ledger of answers: one row for each value that a question was answered with."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import RowMapping, delete, or_, select, update

from dibs.apps.postings.answers import Answer, AnswerSource, question_key, read_answers
from dibs.apps.postings.model import Question
from dibs.apps.postings.tables import ANSWERS
from dibs.storage.transaction import Transaction

MOST_ANSWERS = 200
LONGEST_QUESTION = 2_000
LONGEST_VALUE = 4_000


async def note_answers(
    transaction: Transaction, run_id: str, artifacts: Mapping[str, Any], form: Iterable[Question] = ()
) -> None:
    """Note what an agent answers to the questions of a form; what is in the ledger already stays as it is."""
    given = dict(list(_read_answers(artifacts, form).items())[:MOST_ANSWERS])
    known = await _find_digests(transaction, given)
    for key, (question, value) in given.items():
        if len(question) <= LONGEST_QUESTION and len(value) <= LONGEST_VALUE and (key, value) not in known:
            row = {"key": key, "value_digest": transaction.name_content(value), "question": question, "value": value}
            source = AnswerSource.AGENT.value
            await transaction.add_if_new(ANSWERS, **row, source=source, run_id=run_id, noted_at=transaction.now)


_IS_USABLE = or_(ANSWERS.c.source == AnswerSource.PERSON.value, ANSWERS.c.approved_by.is_not(None))


async def find_usable(
    transaction: Transaction, artifacts: Mapping[str, Any], form: Iterable[Question] = ()
) -> dict[str, Answer]:
    """Find those answers, by question and with that very value, that a person has given or approved."""
    given = _read_answers(artifacts, form)
    rows = await transaction.fetch(select(ANSWERS).where(ANSWERS.c.key.in_(list(given)[:1_000]), _IS_USABLE))
    return {row["key"]: _as_answer(row) for row in rows if given[row["key"]][1] == row["value"]}


async def find_given(transaction: Transaction, questions: Iterable[str]) -> dict[str, Answer]:
    """Find, by question, an answer that a person has given or approved."""
    keys = [question_key(question) for question in questions][:1_000]
    rows = await transaction.fetch(select(ANSWERS).where(ANSWERS.c.key.in_(keys), _IS_USABLE)) if keys else []
    return {row["key"]: _as_answer(row) for row in rows}


async def approve_answers(
    transaction: Transaction, artifacts: Mapping[str, Any], actor: str, form: Iterable[Question] = ()
) -> None:
    """Note that a person let the answers of a run through."""
    for key, (_, value) in list(_read_answers(artifacts, form).items())[:MOST_ANSWERS]:
        await approve(transaction, key, value, actor)


async def approve(transaction: Transaction, key: str, value: str, actor: str) -> bool:
    """Note that a person lets an answer through; False when there is none that waits for it."""
    digest = (await _find_digests(transaction, [key])).get((key, value), "")
    is_it = (ANSWERS.c.key == key) & (ANSWERS.c.value_digest == digest) & ANSWERS.c.approved_by.is_(None)
    approved = {"approved_by": actor, "approved_at": transaction.now}
    return await transaction.change(update(ANSWERS).where(is_it).values(**approved)) == 1


async def put(transaction: Transaction, question: str, value: str, actor: str) -> None:
    """Keep a person's own answer."""
    given = {"source": AnswerSource.PERSON.value, "approved_by": actor, "approved_at": transaction.now}
    key = question_key(question)
    known = await _find_digests(transaction, [key])
    digest = known.get((key, value)) or transaction.name_content(value)
    row = {"key": key, "value_digest": digest, "question": question, "value": value}
    if not await transaction.add_if_new(ANSWERS, **row, **given, noted_at=transaction.now):
        is_it = (ANSWERS.c.key == key) & (ANSWERS.c.value_digest == digest)
        await transaction.change(update(ANSWERS).where(is_it).values(**given))


async def forget(transaction: Transaction, question: str, value: str) -> bool:
    """Take an answer out; False when there is none."""
    key = question_key(question)
    digest = (await _find_digests(transaction, [key])).get((key, value), "")
    is_it = (ANSWERS.c.key == key) & (ANSWERS.c.value_digest == digest)
    return await transaction.change(delete(ANSWERS).where(is_it)) == 1


async def list_answers(
    transaction: Transaction, question: str | None = None, *, is_approved: bool | None = None, limit: int = 500
) -> list[Answer]:
    """Read the ledger by question."""
    asked = select(ANSWERS).order_by(ANSWERS.c.key, ANSWERS.c.noted_at, ANSWERS.c.value_digest).limit(limit)
    if question is not None:
        asked = asked.where(ANSWERS.c.key == question_key(question))
    if is_approved is not None:
        approved = ANSWERS.c.approved_by
        asked = asked.where(approved.is_not(None) if is_approved else approved.is_(None))
    return [_as_answer(row) for row in await transaction.fetch(asked)]


def _read_answers(artifacts: Mapping[str, Any], form: Iterable[Question]) -> dict[str, tuple[str, str]]:
    """Give question and value by key; a value is written as `find_guessed` compares it."""
    answers = read_answers(artifacts.get("answers"), form)
    given = {question_key(question): (question, value) for question, value in answers}
    # In one order: two who keep the same answers wait for each other instead of one giving up.
    return dict(sorted(given.items()))


async def _find_digests(transaction: Transaction, keys: Iterable[str]) -> dict[tuple[str, str], str]:
    """Find under which digests values stand: with which key a digest was made, nobody can tell from the value."""
    wanted = list(keys)
    if not wanted:
        return {}
    columns = (ANSWERS.c.key, ANSWERS.c.value, ANSWERS.c.value_digest)
    rows = await transaction.fetch(select(*columns).where(ANSWERS.c.key.in_(wanted)))
    return {(row["key"], row["value"]): row["value_digest"] for row in rows}


def _as_answer(row: RowMapping) -> Answer:
    facts = {name: row[name] for name in ("question", "value", "approved_by", "approved_at", "run_id")}
    return Answer(**facts, source=AnswerSource(row["source"]))
