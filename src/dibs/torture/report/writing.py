"""Writing a report: JSON or a page, as the name of the file says."""

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from dibs.torture.report.cells import Cell, Run
from dibs.torture.report.page import render_page


class Reporter:
    """Knows when the run began, and sums it up."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._began_at = datetime.now(UTC)

    def sum_up(self, cells: list[Cell]) -> Run:
        """Make the record of the run."""
        return Run(
            version=_find_version(),
            began_at=f"{self._began_at:%Y-%m-%d %H:%M} UTC",
            machine=f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
            seconds=round(time.monotonic() - self._began, 1),
            cells=cells,
        )


def write_report(run: Run, path: Path) -> list[Path]:
    """Write the page, and the data beside it; or the data alone, if that is what the name asks for."""
    data = path.with_suffix(".json")
    data.write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")
    if path == data:
        return [data]
    path.write_text(render_page(run))
    return [path, data]


def _find_version() -> str:
    try:
        return version("dibs")
    except PackageNotFoundError:
        return "unknown"
