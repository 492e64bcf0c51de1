"""Connections to the server, used one question at a time.

The driver's own pool would send a command again when a connection breaks. A write that was sent may have happened, so
here connecting and talking are apart: the first may be tried again, the second never.
"""

import asyncio
import os
import select
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import hiredis
from redis import exceptions as redis_errors
from redis.asyncio.connection import Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from dibs.backends.redis.wire import faults
from dibs.backends.redis.wire.address import Address, Host
from dibs.backends.redis.wire.locating import make_locator
from dibs.backends.redis.wire.scripts import Script, find_script
from dibs.errors import OutcomeUnknown, StoreError, StoreUnavailable

Word = str | bytes | int | float
_FAULTS = (redis_errors.ConnectionError, redis_errors.TimeoutError, OSError, TimeoutError)
_CONNECT_TRIES = 3
_CONNECT_PAUSE = 0.05
_REDIRECTIONS = 5
_IDLE_SECONDS = 15.0
# A script blocks everybody while it runs: a long list of a holder's writes is sent in pieces of so many.
PIECE = 1_000


class Line:
    """One connection, where it leads, and since when it is idle."""

    def __init__(self, connection: Connection, host: Host) -> None:
        self.connection = connection
        self.host = host
        self.idle_since = time.monotonic()

    @property
    def is_broken(self) -> bool:
        """Whether the other side has hung up. On an idle connection nothing else makes the socket readable."""
        # The driver's own check needs turns of the event loop to see it, and takes longer.
        writer = self.connection._writer  # noqa: SLF001
        if writer is None or writer.is_closing():
            return True
        poll = select.poll()
        poll.register(writer.get_extra_info("socket"), select.POLLIN)
        return bool(poll.poll(0))

    @property
    def is_stale(self) -> bool:
        """Whether it was idle so long that a middlebox may have dropped it without a word."""
        return time.monotonic() - self.idle_since > _IDLE_SECONDS

    async def talk(self, words: Sequence[Word], seconds: float) -> Any:
        """Send a command and read the answer."""
        async with asyncio.timeout(seconds):
            # The driver packs every word in Python, which costs more than all the rest of a batch.
            packed = hiredis.pack_command(tuple(words))  # type: ignore[arg-type]  # its stub means a tuple of one
            await self.connection.send_packed_command(packed, check_health=False)
            return await self.connection.read_response()

    async def hang_up(self) -> None:
        """Close it without waiting for the other side."""
        await self.connection.disconnect(nowait=True)

    def abandon(self) -> None:
        """Close it from code that cannot wait."""
        # The driver offers no other way that does not wait.
        self.connection._close()  # type: ignore[no-untyped-call]  # noqa: SLF001


class Lines:
    """All connections of one handle to the server that takes its writes."""

    # What a child inherits through fork must not even be forgotten: a driver's connection that is collected closes
    # itself, and takes the parent's socket out of the poll that both processes share.
    _inherited: list["Lines"] = []  # noqa: RUF012 - shared on purpose

    def __init__(self, address: Address) -> None:
        self.address = address
        self._locator = make_locator(address, self._ask_other)
        self._idle: deque[Line] = deque()
        self._room = asyncio.Semaphore(address.options.max_connections)
        self._is_closed = False
        self._process = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None

    def refuse_strangers(self) -> None:
        """Connections belong to the process and the event loop that opened them: another would mix up the answers."""
        if os.getpid() != self._process:
            self._inherited.append(self)
            message = (
                f"this handle on Redis at {self.address.shown} was opened by process {self._process}, before a fork."
            )
            raise StoreError(f"{message} Open one of its own in the child, and leave this one alone.")
        self._loop = self._loop or asyncio.get_running_loop()
        if self._loop is not asyncio.get_running_loop():
            message = f"this handle on Redis at {self.address.shown} was opened in another event loop."
            raise StoreError(f"{message} Open one for each loop.")

    async def run_in_pieces(
        self, name: str, words: Sequence[Word], *, width: int = 1, head: Sequence[Word] = ()
    ) -> list[Any]:
        """Run a script on items of `width` words each, `PIECE` items at a time; every piece happens whole or not."""
        answers: list[Any] = []
        for start in range(0, len(words), PIECE * width):
            try:
                answers += await self.run(name, [*head, *words[start : start + PIECE * width]])
            except StoreUnavailable as error:
                if not answers or isinstance(error, OutcomeUnknown):
                    raise
                message = f"only the first {len(answers)} of {len(words) // width} were written, then: {error}"
                raise OutcomeUnknown(message) from error
        return answers

    async def run(self, name: str, args: Sequence[Word] = (), *, is_write: bool = True) -> Any:
        """Run the script `folder/name`."""
        return await self.evaluate(find_script(name), args, is_write=is_write)

    async def evaluate(self, script: Script, args: Sequence[Word] = (), *, is_write: bool = True) -> Any:
        """Run a script; one that the server does not know is sent whole."""
        try:
            return await self._ask("EVALSHA", script.digest, 1, self.address.tag, *args, is_write=is_write)
        except redis_errors.NoScriptError:
            return await self.ask("EVAL", script.text, 1, self.address.tag, *args, is_write=is_write)
        except redis_errors.RedisError as error:
            raise faults.refusal(error, self.address.shown) from error

    async def ask(self, *words: Word, is_write: bool = False) -> Any:
        """Send one command to the server that takes our writes."""
        try:
            return await self._ask(*words, is_write=is_write)
        except redis_errors.RedisError as error:
            raise faults.refusal(error, self.address.shown) from error

    async def close(self) -> None:
        """Hang up everywhere."""
        self.refuse_strangers()
        self._is_closed = True
        await self._drop_idle()

    async def open_line(self) -> Line:
        """Connect to the server that takes our writes. Nothing is sent yet, so a failure may be tried again."""
        self.refuse_strangers()
        for _ in range(_CONNECT_TRIES - 1):
            try:
                return await self._connect(await self._locator.locate())
            except StoreUnavailable:
                self._locator.moved(None)
                await asyncio.sleep(_CONNECT_PAUSE)
        return await self._connect(await self._locator.locate())

    async def _ask(self, *words: Word, is_write: bool) -> Any:
        """Follow the server where it sends us: it refused, so nothing has happened yet."""
        self.refuse_strangers()
        async with self._room:
            for _ in range(_REDIRECTIONS):
                try:
                    return await self._exchange(await self._take(), words, is_write=is_write)
                except redis_errors.MovedError as error:
                    await self._move((error.host, error.port))
                except redis_errors.AskError as error:
                    return await self._ask_importing((error.host, error.port), words, is_write=is_write)
                except redis_errors.ReadOnlyError:
                    await self._move(None)
                    await asyncio.sleep(_CONNECT_PAUSE)
            return await self._exchange(await self._take(), words, is_write=is_write)

    async def _exchange(self, line: Line, words: Sequence[Word], *, is_write: bool) -> Any:
        try:
            answer = await line.talk(words, self.address.options.timeout)
        except redis_errors.ResponseError:
            self._put_back(line)
            raise
        except _FAULTS as error:
            await line.hang_up()
            if faults.is_answer(error):
                raise
            self._locator.moved(None)
            raise faults.broken(error, self.address.shown, is_write=is_write) from error
        except BaseException:
            # The answer may still come: nobody else may read it as his own.
            await line.hang_up()
            raise
        self._put_back(line)
        return answer

    async def _take(self) -> Line:
        while self._idle:
            line = self._idle.pop()
            if not line.is_broken and (not line.is_stale or await self._answers(line)):
                return line
            await line.hang_up()
        return await self.open_line()

    def _put_back(self, line: Line) -> None:
        if self._is_closed:
            line.abandon()
            return
        line.idle_since = time.monotonic()
        self._idle.append(line)

    async def _answers(self, line: Line) -> bool:
        try:
            await line.talk(("PING",), self.address.options.connect_timeout)
        except (redis_errors.RedisError, *_FAULTS):
            return False
        return True

    async def _move(self, host: Host | None) -> None:
        self._locator.moved(host)
        await self._drop_idle()

    async def _drop_idle(self) -> None:
        while self._idle:
            await self._idle.pop().hang_up()

    async def _connect(self, host: Host, **login: Any) -> Line:
        connection = self._make_connection(host, login or self.address.login)
        try:
            async with asyncio.timeout(self.address.options.connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]
        except (redis_errors.RedisError, *_FAULTS) as error:
            await connection.disconnect(nowait=True)
            raise faults.unreachable(error, f"{host[0]}:{host[1]}") from error
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return Line(connection, host)

    def _make_connection(self, host: Host, login: dict[str, Any]) -> Connection:
        options = self.address.options
        kind = SSLConnection if options.tls else Connection
        try:
            # Without a socket timeout the driver starts no task a command; `talk` keeps the time.
            return kind(
                **{"client_name": "dibs", "protocol": 2, "driver_info": None, **login},
                host=host[0],
                port=host[1],
                socket_timeout=None,
                socket_connect_timeout=options.connect_timeout,
                retry=Retry(NoBackoff(), 0),
            )
        except TypeError as cause:
            raise faults.unknown_option(cause, sorted(options.__struct_fields__)) from cause

    async def _ask_other(self, host: Host, words: Sequence[str]) -> Any:
        """Ask a sentinel or another node one thing."""
        line = await self._connect(host, **self._login_elsewhere())
        try:
            return await line.talk(words, self.address.options.connect_timeout)
        except (redis_errors.RedisError, *_FAULTS) as error:
            raise faults.unreachable(error, f"{host[0]}:{host[1]}") from error
        finally:
            await line.hang_up()

    def _login_elsewhere(self) -> dict[str, Any]:
        if self.address.kind != "sentinel":
            return {"client_name": "dibs", **self.address.login}
        options = self.address.options
        return {"username": options.sentinel_username, "password": options.sentinel_password}

    async def _ask_importing(self, host: Host, words: Sequence[Word], *, is_write: bool) -> Any:
        """Ask the node that is taking over our slot, this once."""
        line = await self._connect(host)
        try:
            await line.talk(("ASKING",), self.address.options.connect_timeout)
            return await line.talk(words, self.address.options.timeout)
        except _FAULTS as error:
            raise faults.broken(error, f"{host[0]}:{host[1]}", is_write=is_write) from error
        finally:
            await line.hang_up()
