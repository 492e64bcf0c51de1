"""The app that the browser tests run: tasks that do as they are told."""

import asyncio

import dibs

app = dibs.Dibs()
_seen: set[str] = set()


@app.task("FRAGILE", max_retries=0)
async def fragile(ctx: dibs.Context, message: str = "the printer is on fire") -> dict[str, str]:
    """Fail the first time, and do it when an operator puts it back."""
    if ctx.job.id not in _seen:
        _seen.add(ctx.job.id)
        raise dibs.Permanent(message)
    return {"done": message}


@app.task("ECHO", max_retries=0)
async def echo(ctx: dibs.Context, value: object = None) -> object:
    """Show what was given everywhere: as progress and as output."""
    await ctx.report_progress({"value": value})
    return {"value": value}


@app.task("SLOW", max_retries=0)
async def slow(seconds: float = 30) -> None:
    """Take a while."""
    await asyncio.sleep(seconds)
