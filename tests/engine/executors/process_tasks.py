"""Tasks that tests run in processes of their own."""

import contextlib
import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

from dibs import BadInput, DibsError, FailureKind, LeaseLost, Permanent, PermitRefused, Retryable, RetryPolicy
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.outcome import Cancel, Fail, Snooze

tasks = Blueprint()
late: list[threading.Thread] = []
late_errors: list[str] = []


class Busy(Exception):
    """Needs two arguments, so it cannot be made again from its message alone."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code


class SlowAndBusy(Retryable, TimeoutError):
    """Two things at once."""


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def judge_by_code(error: BaseException) -> FailureKind:
    return FailureKind.PERMANENT if getattr(error, "code", 0) == 404 else FailureKind.TRANSIENT


def fail_to_judge(error: BaseException) -> FailureKind:
    raise KeyError(error)


REFUSED_UNTIL = datetime(2030, 1, 1, tzinfo=UTC)
OUTCOMES = {
    "snooze": Snooze(timedelta(minutes=5), reason="asked to wait"),
    "cancel": Cancel("not needed"),
    "fail": Fail("never"),
}
ERRORS: dict[str, BaseException] = {
    "retryable": Retryable("again"),
    "permanent": Permanent("never"),
    "bad_input": BadInput("no"),
    "timeout": TimeoutError("too slow"),
    "connection": ConnectionResetError("gone"),
    "lease": LeaseLost("theirs"),
    "both": SlowAndBusy("hm"),
    "plain": ValueError("what?"),
    "exit": SystemExit(3),
    "stop": StopIteration(7),
    "unreadable": Unreadable(),
    "surrogate": ValueError("\ud800"),
}


@tasks.task("pid", cpu_bound=True)
def pid() -> int:
    return os.getpid()


@tasks.task("double", cpu_bound=True)
def double(ctx: Any, number: int) -> dict[str, Any]:
    return {"doubled": 2 * number, "job": ctx.job.id, "attempt": ctx.attempt, "token": ctx.token}


@tasks.task("end", cpu_bound=True)
def end(how: str) -> Any:
    return OUTCOMES[how]


@tasks.task("fail", cpu_bound=True)
def fail(how: str) -> None:
    raise ERRORS[how]


@tasks.task("ask", cpu_bound=True)
def ask() -> None:
    raise PermitRefused("ebay must wait", source="ebay", until=REFUSED_UNTIL)


@tasks.task("fetch", cpu_bound=True, retry=RetryPolicy(classify=judge_by_code))
def fetch(code: int) -> None:
    raise Busy(code, "the source said so")


@tasks.task("fetch_oddly", cpu_bound=True, retry=RetryPolicy(classify=fail_to_judge))
def fetch_oddly() -> None:
    raise BadInput("no")


@tasks.task("give", cpu_bound=True)
def give(what: str) -> Any:
    return {"object": object(), "nan": float("nan"), "surrogate": "\ud800", "large": "x" * 2_000_000}[what]


@tasks.task("hang", cpu_bound=True)
def hang(ctx: Any) -> None:
    ctx.report_progress(os.getpid())
    while True:
        pass


@tasks.task("die", cpu_bound=True)
def die(number: int = 0, code: int = 0) -> None:
    if number:
        os.kill(os.getpid(), number)
        threading.Event().wait(30)
    os._exit(code)


@tasks.task("die_with_heir", cpu_bound=True)
def die_with_heir(ctx: Any) -> None:
    heir = os.fork()
    if heir == 0:
        signal.pause()
        os._exit(0)
    ctx.report_progress(heir)
    os._exit(9)


@tasks.task("wait", cpu_bound=True)
def wait(ctx: Any) -> str:
    ctx.report_progress("waiting")
    while not ctx.is_cancelled:
        pass
    return "told"


@tasks.task("talk", cpu_bound=True)
def talk(ctx: Any, steps: int) -> None:
    for step in range(steps):
        ctx.report_progress({"step": step})
        ctx.heartbeat()


@tasks.task("branch", cpu_bound=True)
def branch(ctx: Any, unique_key: str) -> Any:
    delay = timedelta(seconds=90)
    child = ctx.enqueue(double, {"number": 4}, unique_key=unique_key, delay=delay, priority=3)
    return None if child is None else [child.id, child.job_type, child.input]


@tasks.task("branch_badly", cpu_bound=True)
def branch_badly(ctx: Any, how: str) -> None:
    options: dict[str, Any] = {
        "unknown": {"colour": 1},
        "connection": {"connection": object()},
        "unfit": {"priority": "high"},
    }
    ctx.enqueue("double", **options[how])


@tasks.task("try_to_enqueue", cpu_bound=True)
def try_to_enqueue(ctx: Any) -> list[str]:
    try:
        ctx.enqueue("double")
    except DibsError as error:
        return [type(error).__name__, str(error)]
    return []


@tasks.task("linger", cpu_bound=True)
def linger(ctx: Any) -> int:
    """Leave a thread behind that speaks in the name of a job that is over."""

    def speak() -> None:
        while not ctx.is_cancelled:
            pass
        try:
            ctx.heartbeat()
        except LeaseLost as error:
            late_errors.append(type(error).__name__)

    late.append(threading.Thread(target=speak, daemon=True))
    late[-1].start()
    return os.getpid()


@tasks.task("look_back", cpu_bound=True)
def look_back() -> list[str]:
    late[-1].join(30)
    return late_errors


@tasks.task("stay", cpu_bound=True)
def stay() -> int:
    threading.Thread(target=threading.Event().wait, daemon=False).start()
    return os.getpid()


@tasks.task("interrupt", cpu_bound=True)
def interrupt() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return str(signal.getsignal(signal.SIGTERM))


@tasks.task("look_around", cpu_bound=True)
def look_around() -> dict[str, Any]:
    with contextlib.suppress(EOFError):
        input()
    return {"path": sys.path, "main": getattr(sys.modules["__main__"], "__file__", None)}


def plain(number: int) -> int:
    return number + 1


plain_task = tasks.task("plain", cpu_bound=True)(plain)


def make_local_task() -> Any:
    def local() -> None: ...

    return Blueprint().task("local", cpu_bound=True)(local)


NAMELESS = [Blueprint().task("nameless", cpu_bound=True)(lambda: None)]


@tasks.task("BABBLE", cpu_bound=True)
def babble(text: str) -> str:
    """Write to every file that is open, as a library that mixes up its descriptors would."""
    for number in range(3, 256):
        with contextlib.suppress(OSError):
            os.write(number, text.encode())
    return "babbled"


@tasks.task("TRANSACT", cpu_bound=True)
def transact(ctx: Any) -> None:
    with ctx.transaction():
        pass
