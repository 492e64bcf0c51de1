"""Sites that do not exist. What they answer is counted as real answers are: by their source, and by the cache."""

from dibs.engine.admission.source import FetchReport, FetchVerdict
from dibs.engine.app import App
from dibs.engine.job import Lease
from dibs.errors import Retryable
from dibs.outside.cache.opening import make_cache
from dibs.outside.cache.tallying import Answer


class Sites:
    """Whom the demo asks. Nothing goes out."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def ask(self, name: str, lease: Lease | None = None) -> int:
        """Spend a permit; give the token under which to report."""
        permit = await (await self._app.backend()).sources.take_permit(name, lease)
        if not permit.granted:
            message = f"{name} is not to be asked now"
            raise Retryable(message)
        return permit.token

    async def report(self, name: str, verdict: FetchVerdict, token: int = 0) -> None:
        """Note how it went."""
        await (await self._app.backend()).sources.report(FetchReport(source=name, verdict=verdict, token=token))

    async def count(self, name: str, answer: Answer, times: int = 1) -> None:
        """Note where answers came from."""
        cache = make_cache(self._app.settings, getattr(self._app, "url", None))
        for _ in range(times):
            await cache.note(name, answer)
        await cache.close()
