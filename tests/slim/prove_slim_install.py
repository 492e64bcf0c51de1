"""Run in an environment that holds only `pip install dibs`: one job goes through SQLite, and nothing else is there."""

import asyncio
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

import dibs

CORE = {"cronsim", "dibs", "msgspec", "rich", "structlog", "typer", "tzdata"}
BROUGHT_BY_RICH = {"markdown-it-py", "mdurl", "pygments"}
# Newer releases of typer stand on pydantic, older ones on click.
BROUGHT_BY_TYPER = {"annotated-doc", "annotated-types", "click", "pydantic", "pydantic-core", "shellingham"}
BROUGHT_BY_TYPER |= {"typing-extensions", "typing-inspection"}
BROUGHT_BY_VENV = {"pip", "setuptools", "wheel"}
SOURCE = Path(__file__).parents[2] / "src/dibs"


def find_strangers() -> set[str]:
    installed = {found.name.lower().replace("_", "-") for found in distributions()}
    assert installed >= CORE, f"missing: {CORE - installed}"
    return installed - CORE - BROUGHT_BY_RICH - BROUGHT_BY_TYPER - BROUGHT_BY_VENV


def find_unshipped() -> set[Path]:
    package = Path(dibs.__file__).parent
    assert package != SOURCE, "this is the source tree, not an installation"
    files = {path.relative_to(SOURCE) for path in SOURCE.rglob("*") if path.is_file()}
    return {path for path in files if "__pycache__" not in path.parts and not (package / path).is_file()}


async def finish_one_job(folder: str) -> None:
    async with await dibs.open_backend(f"sqlite:///{folder}/jobs.db") as backend:
        await backend.store_job(dibs.Job(id="job-1", job_type="GREET", input={"name": "Ada"}))
        job = await backend.claim_pending_job(job_types=["GREET"])
        assert job is not None
        await backend.complete_job(job.lease, output={"greeting": f"Hello, {job.input['name']}"})
        finished = await backend.get_job("job-1")
        assert finished.state == dibs.State.SUCCEEDED
        assert finished.output == {"greeting": "Hello, Ada"}


async def ask_for_an_extra(url: str, extra: str, *, leases_url: str = "") -> None:
    message = f"{url} opened without the extra {extra}"
    try:
        await dibs.open_backend(url, settings=dibs.Settings(leases_url=leases_url))
    except dibs.MissingExtra as error:
        message = str(error)
    assert f"dibs[{extra}]" in message, message


async def main() -> None:
    strangers, unshipped = find_strangers(), find_unshipped()
    assert not strangers, f"a slim install brought {sorted(strangers)}"
    assert not unshipped, f"the wheel lacks {sorted(map(str, unshipped))}"
    with tempfile.TemporaryDirectory() as folder:
        await finish_one_job(folder)
    await ask_for_an_extra("postgresql://postgres@127.0.0.1:1/none", "postgres")
    await ask_for_an_extra("redis://127.0.0.1:1/0", "redis")
    await ask_for_an_extra("memory://", "etcd", leases_url="etcd://127.0.0.1:1")
    sys.stdout.write("slim install: one job stored, claimed and finished on SQLite\n")


if __name__ == "__main__":
    asyncio.run(main())
