"""Write-ahead logs of SQLite files: what was erased from a file still stands in its log until that is emptied."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct

PATIENCE_SECONDS = 5.0


class JournalsHolding(Untraced):
    """The logs of the files that everything else is kept in. Comes after all that is erased."""

    name = "journals"

    def __init__(self, files: Sequence[Path], *, patience: float = PATIENCE_SECONDS) -> None:
        self._files = files
        self._patience = patience

    async def find(self, inquiry: Inquiry) -> list[Held]:  # noqa: ARG002 - of nobody
        """Nothing: whatever is in a log is told by who holds it."""
        return []

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - of everybody
        """Empty them. One that somebody reads meanwhile stays, and is told."""
        full = [file for file in self._files if not await asyncio.to_thread(empty_log, file, self._patience)]
        said = "the write-ahead log of {}: somebody reads in it. Erase again, or end whoever does."
        return Erased(kept=tuple(said.format(file.name) for file in full))


def empty_log(file: Path, patience: float) -> bool:
    """Bring all that stands in the log into the file, and cut the log off. Tell whether that is done."""
    if not file.exists():
        return True
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=rw", uri=True, timeout=patience)) as connection:
            [is_busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not is_busy
