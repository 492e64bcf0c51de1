"""Every case through the reader and the understanding, on all cores given, and judged where it was parsed."""

import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path

from msgspec import Struct

from evals.resumes.cases import Case
from evals.resumes.scoring.judging import Verdict, judge_profile

TODAY = date(2026, 11, 15)


class Result(Struct):
    case: Case
    verdict: Verdict
    seconds: float = 0.0
    error: str = ""


def run_cases(cases: list[Case], *, processes: int) -> Iterator[Result]:
    # One thread an engine: two processes with as many threads as cores only wait for each other.
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")
    if processes == 1:
        yield from map(run_case, cases)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(run_case, cases, chunksize=4)


def run_case(case: Case) -> Result:
    """A document that cannot be read counts as one that gave nothing: everything in it was missed."""
    started = time.process_time()
    try:
        profile = parse(Path(case.file))
        error = ""
    except Exception as raised:  # noqa: BLE001 -- a case that breaks is a figure, not the end of the run
        profile, error = {}, f"{type(raised).__name__}: {raised}"
    verdict = judge_profile(profile, case.truth, lenient_dates=case.lenient_dates)
    return Result(case, verdict, time.process_time() - started, error)


def parse(file: Path) -> dict[str, object]:
    # Imported here, so that people and pages can be made without the product.
    from dibs.services.resumes.reading import read_document  # noqa: PLC0415
    from dibs.services.resumes.understanding import understand  # noqa: PLC0415

    document = read_document(file.read_bytes(), name=file.name)
    return understand(document, today=TODAY).to_json()


def spread(cases: Iterable[Case]) -> list[Case]:
    """Slow ones first, so that no core waits at the end."""
    return sorted(cases, key=lambda case: case.format != "scan")
