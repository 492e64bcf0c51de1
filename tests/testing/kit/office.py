"""A small program to test the kit on: an app whose real store must never be touched, and what its handlers did."""

from datetime import timedelta
from typing import Any

from dibs import Dibs, RetryPolicy
from dibs.engine.tasks.outcome import Snooze

NOWHERE = "sqlite:////nowhere/at/all/jobs.db"


class Office:
    """The app, and the effects of its handlers."""

    def __init__(self) -> None:
        self.app = Dibs(NOWHERE)
        self.effects: list[Any] = []
        self._declare_plain()
        self._declare_talking()

    def _declare_plain(self) -> None:
        app, effects = self.app, self.effects

        @app.task("NOTE")
        async def note(text: str) -> dict[str, str]:
            effects.append(text)
            return {"noted": text}

        @app.task("BLOCKING_NOTE")
        def blocking_note(text: str) -> None:
            effects.append(text)

        @app.task("HEAVY_NOTE", cpu_bound=True)
        def heavy_note(text: str) -> None:
            effects.append(text)

        @app.task("TROUBLE", max_retries=2, retry=RetryPolicy(base=timedelta(seconds=10)))
        async def trouble() -> None:
            effects.append("tried")
            message = "no luck"
            raise RuntimeError(message)

        @app.task("LATER")
        async def later() -> Snooze:
            return Snooze(timedelta(0))

        self.note, self.blocking_note, self.heavy_note, self.trouble = note, blocking_note, heavy_note, trouble
        self.later = later

    def _declare_talking(self) -> None:
        app, effects = self.app, self.effects

        @app.task("TALK")
        async def talk(ctx: Any) -> None:
            effects.append("begun")
            await ctx.report_progress(50)
            effects.append("ended")

        @app.task("BLOCKING_TALK")
        def blocking_talk(ctx: Any) -> None:
            effects.append("begun")
            ctx.report_progress(50)
            effects.append("ended")

        @app.task("FAN_OUT")
        async def fan_out(ctx: Any, to: list[str]) -> None:
            for text in to:
                await ctx.enqueue(self.note, {"text": text})

        @app.task("PING")
        async def ping(ctx: Any) -> None:
            await ctx.enqueue("PING")

        self.talk, self.blocking_talk, self.fan_out, self.ping = talk, blocking_talk, fan_out, ping
