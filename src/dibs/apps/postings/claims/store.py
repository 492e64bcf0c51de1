"""Every statement on runs, the versions of their artifacts, and long values."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import RowMapping, func, select, update

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.artifacts import find_blobs, put_together, store_apart
from dibs.apps.postings.claims.runs import ACTIVE, FINAL, RunState
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.records import Kin, LastWord, Run, Version
from dibs.apps.postings.tables import BLOBS, BOARDS, POSTINGS, RUNS, VERSIONS
from dibs.kit.codec import decode_json, encode_json
from dibs.storage.transaction import Transaction

_LIMIT = 2_000_000
MOST_RUNS = 1_000
# What stands in a row otherwise than in a record.
_WRITTEN = ("artifacts", "state", "akin")
# What a report may change, and is written as it is.
_REPORTED = ("error", "version", "updated_at", "fenced_at", "ended_at", "approved_at", "approved_by", "breach")
_decode_akin = msgspec.json.Decoder(tuple[Kin, ...]).decode


async def find_run(transaction: Transaction, run_id: str, *, is_locked: bool = False) -> Run | None:
    """Read one run, with its artifacts whole."""
    question = select(RUNS).where(RUNS.c.run_id == run_id)
    row = await transaction.find(question.with_for_update() if is_locked else question)
    return None if row is None else (await _as_runs(transaction, [row]))[0]


async def find_state(transaction: Transaction, run_id: str) -> RunState | None:
    """Read how far a run is."""
    row = await transaction.find(select(RUNS.c.state).where(RUNS.c.run_id == run_id))
    return None if row is None else RunState(row["state"])


async def find_known(transaction: Transaction, run_ids: Collection[str]) -> frozenset[str]:
    """Tell which of some ids are those of runs."""
    rows = await transaction.fetch(select(RUNS.c.run_id).where(RUNS.c.run_id.in_(run_ids)))
    return frozenset(row["run_id"] for row in rows)


async def list_runs(transaction: Transaction, posting_ids: Sequence[str]) -> list[Run]:
    """Read the runs at postings, oldest first."""
    question = select(RUNS).where(RUNS.c.posting_id.in_(posting_ids)).order_by(RUNS.c.created_at, RUNS.c.run_id)
    return await _as_runs(transaction, await transaction.fetch(question.limit(MOST_RUNS)))


async def find_last_words(transaction: Transaction, run_ids: Sequence[str]) -> dict[str, LastWord]:
    """Tell what runs said last, and when."""
    # With its key: what is encrypted is bound to its row.
    columns = (RUNS.c[name] for name in ("tenant", "run_id", "updated_at", "error", "breach", "fenced_at"))
    rows = await transaction.fetch(select(*columns).where(RUNS.c.run_id.in_(run_ids)))
    return {
        row["run_id"]: LastWord(
            at=row["updated_at"], error=row["error"], breach=row["breach"], fenced_at=row["fenced_at"]
        )
        for row in rows
    }


async def has_other_active(transaction: Transaction, posting_id: str, run_id: str) -> bool:
    """Tell whether another run at a posting goes on."""
    active = RUNS.c.state.in_([state.value for state in ACTIVE])
    question = select(RUNS.c.run_id).where(RUNS.c.posting_id == posting_id, RUNS.c.run_id != run_id, active)
    return await transaction.find(question.limit(1)) is not None


async def list_sketches(transaction: Transaction, limit: int, *, but_not: str = "") -> Sequence[RowMapping]:
    """Read what the texts of other postings are compared by, where a run has not failed; the latest first."""
    question = (
        select(RUNS.c.run_id, RUNS.c.posting_id, POSTINGS.c.board, POSTINGS.c.external_id, POSTINGS.c.sketch)
        .select_from(RUNS.join(POSTINGS, POSTINGS.c.id == RUNS.c.posting_id))
        .where(RUNS.c.state != RunState.FAILED.value, RUNS.c.posting_id != but_not, POSTINGS.c.sketch != "")
    )
    return await transaction.fetch(question.order_by(RUNS.c.created_at.desc(), RUNS.c.run_id).limit(limit))


async def count_outcomes(transaction: Transaction, board: str | None = None) -> list[tuple[str, RunState, int]]:
    """Count the runs of each variant by how far they are, at the postings of one board or of all."""
    question = select(RUNS.c.variant_id, RUNS.c.state, func.count().label("count"))
    if board is not None:
        joined = RUNS.join(POSTINGS, POSTINGS.c.id == RUNS.c.posting_id)
        question = question.select_from(joined).where(POSTINGS.c.board == board)
    rows = await transaction.fetch(question.group_by(RUNS.c.variant_id, RUNS.c.state))
    return [(row["variant_id"], RunState(row["state"]), row["count"]) for row in rows]


async def add_run(transaction: Transaction, run: Run) -> bool:
    """Keep a new run and its first version; False when the id is taken."""
    slim = await _keep_apart(transaction, run.artifacts)
    if not await transaction.add_if_new(RUNS, **_as_row(run, slim)):
        return False
    await _add_version(transaction, run, run.artifacts)
    return True


async def add_runs(transaction: Transaction, runs: Sequence[Run]) -> None:
    """Keep new runs and their first versions; nothing in their artifacts is so long that it is stored apart."""
    # In one order: two who keep the same ids wait for each other instead of both giving up.
    ordered = sorted(runs, key=lambda run: run.run_id)
    slim = [encode_json(run.artifacts, limit=_LIMIT, what="artifacts").decode() for run in ordered]
    await transaction.add_many(RUNS, [_as_row(run, text) for run, text in zip(ordered, slim, strict=True)])
    versions = [_as_version(run, text, transaction.now) for run, text in zip(ordered, slim, strict=True)]
    await transaction.add_many(VERSIONS, versions)


async def write_report(transaction: Transaction, run: Run, patch: dict[str, Any]) -> None:
    """Keep a run as a report has left it, and the report as a version of its own; the row is locked."""
    values: dict[str, Any] = {name: getattr(run, name) for name in _REPORTED}
    values |= {"state": run.state.value, "artifacts": await _keep_apart(transaction, run.artifacts)}
    await transaction.change(update(RUNS).where(RUNS.c.run_id == run.run_id).values(**values))
    await _add_version(transaction, run, patch)


async def end_run(transaction: Transaction, run_id: str, state: RunState, error: str) -> bool:
    """End a run that goes on, or whose end a person finds out, without a report of its own."""
    is_open = RUNS.c.state.in_([one.value for one in (*ACTIVE, RunState.UNKNOWN)]) | RUNS.c.breach.is_not(None)
    values: dict[str, Any] = {"state": state.value, "error": error, "updated_at": transaction.now}
    if state in FINAL:
        values["ended_at"] = transaction.now
    return await transaction.change(update(RUNS).where(RUNS.c.run_id == run_id, is_open).values(**values)) == 1


async def find_reported(transaction: Transaction, run: Run) -> RunState | None:
    """Tell how far a run was by its own last word."""
    is_last = (VERSIONS.c.run_id == run.run_id) & (VERSIONS.c.version == run.version)
    row = await transaction.find(select(VERSIONS.c.state).where(is_last))
    return None if row is None else RunState(row["state"])


async def approve(transaction: Transaction, run_id: str, actor: str) -> bool:
    """Note that a person lets a run submit; False when it has submitted or ended."""
    waits = (RUNS.c.run_id == run_id) & (RUNS.c.state == RunState.PENDING.value)
    values = {"approved_at": transaction.now, "approved_by": actor}
    return await transaction.change(update(RUNS).where(waits).values(**values)) == 1


async def list_unapproved(transaction: Transaction, limit: int) -> list[Run]:
    """Read the runs that have a posting and that nobody has let submit, on boards that may ask; last heard of first."""
    free = select(BOARDS.c.name).where(BOARDS.c.approval == Approval.NEVER.value)
    question = (
        select(RUNS)
        .select_from(POSTINGS.join(RUNS, RUNS.c.run_id == POSTINGS.c.holder))
        .where(
            POSTINGS.c.state == PostingState.QUEUED.value,
            ~POSTINGS.c.is_held,
            RUNS.c.state == RunState.PENDING.value,
            RUNS.c.approved_at.is_(None),
            # A board that nobody knows is treated as a new one, which asks.
            POSTINGS.c.board.not_in(free),
        )
    )
    rows = await transaction.fetch(question.order_by(RUNS.c.updated_at.desc(), RUNS.c.run_id).limit(limit))
    return await _as_runs(transaction, rows)


async def list_versions(transaction: Transaction, run_id: str) -> list[Version]:
    """Read all reports of a run, oldest first."""
    rows = await transaction.fetch(select(VERSIONS).where(VERSIONS.c.run_id == run_id).order_by(VERSIONS.c.version))
    patches = await _read_artifacts(transaction, [row["patch"] for row in rows])
    return [
        Version(version=row["version"], state=RunState(row["state"]), patch=patch, at=row["at"], error=row["error"])
        for row, patch in zip(rows, patches, strict=True)
    ]


async def _add_version(transaction: Transaction, run: Run, patch: dict[str, Any]) -> None:
    slim = await _keep_apart(transaction, patch)
    await transaction.add(VERSIONS, **_as_version(run, slim, transaction.now))


def _as_version(run: Run, slim: str, at: datetime) -> dict[str, Any]:
    row = {"run_id": run.run_id, "version": run.version, "state": run.state.value, "error": run.error}
    return row | {"patch": slim, "at": at}


def _as_row(run: Run, slim: str) -> dict[str, Any]:
    facts = {name: getattr(run, name) for name in Run.__struct_fields__ if name not in _WRITTEN}
    akin = msgspec.json.encode(run.akin).decode() if run.akin else None
    return facts | {"state": run.state.value, "artifacts": slim, "akin": akin}


async def _keep_apart(transaction: Transaction, artifacts: dict[str, Any]) -> str:
    slim, blobs = store_apart(artifacts)
    # In one order: two who keep the same values wait for each other instead of one giving up.
    known = [
        digest
        for digest, content in sorted(blobs.items())
        if not await transaction.add_if_new(BLOBS, digest=digest, content=content.decode())
    ]
    for digest in await _find_gone(transaction, known):
        await transaction.add_if_new(BLOBS, digest=digest, content=blobs[digest].decode())
    return encode_json(slim, limit=_LIMIT, what="artifacts").decode()


async def _find_gone(transaction: Transaction, digests: list[str]) -> list[str]:
    """Tell which values, known a moment ago, somebody erases with another run's; the others stay until we are done."""
    if not digests:
        return []
    question = select(BLOBS.c.digest).where(BLOBS.c.digest.in_(digests)).order_by(BLOBS.c.digest)
    rows = await transaction.fetch(question.with_for_update(read=True, key_share=True))
    return sorted({*digests} - {row["digest"] for row in rows})


async def _as_runs(transaction: Transaction, rows: Sequence[RowMapping]) -> list[Run]:
    artifacts = await _read_artifacts(transaction, [row["artifacts"] for row in rows])
    return [_as_run(row, whole) for row, whole in zip(rows, artifacts, strict=True)]


def _as_run(row: Mapping[Any, Any], artifacts: dict[str, Any]) -> Run:
    facts = {name: row[name] for name in Run.__struct_fields__ if name not in _WRITTEN}
    # An older release wrote names alone.
    akin = _decode_akin(row["akin"]) if (row["akin"] or "").startswith("[{") else ()
    return Run(**facts, state=RunState(row["state"]), artifacts=artifacts, akin=akin)


async def _read_artifacts(transaction: Transaction, texts: Sequence[str]) -> list[dict[str, Any]]:
    slim = [decode_json(text) for text in texts]
    wanted = {digest for one in slim for digest in find_blobs(one)}
    if not wanted:
        return slim
    rows = await transaction.fetch(select(BLOBS).where(BLOBS.c.digest.in_(wanted)))
    blobs = {row["digest"]: row["content"].encode() for row in rows}
    return [put_together(one, blobs) for one in slim]
