"""Errors on their way from one process to another: never pickled, so an error can bring no code along."""

from collections.abc import Callable
from functools import cache

from dibs import errors
from dibs.engine.executors.messages import Raised
from dibs.engine.failure import ErrorInfo, FailureKind, RemoteError, classify_error, describe_error
from dibs.errors import DibsError

Classify = Callable[[BaseException], FailureKind]

_OURS = {name: one for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, DibsError)}
_KNOWN: dict[str, type[Exception]] = {
    **_OURS,
    "TimeoutError": TimeoutError,
    "ConnectionError": ConnectionError,
    "InterruptedError": InterruptedError,
}


def pack_error(error: BaseException, classify: Classify = classify_error) -> Raised:
    """Describe an error, judged here by its task's own policy: the class itself may not exist over there."""
    classes = tuple(one.__name__ for one in type(error).__mro__ if _KNOWN.get(one.__name__) is one)
    return Raised(error=describe_error(error), kind=_judge(error, classify), classes=classes)


def rebuild_error(raised: Raised) -> RemoteError:
    """Make an error that is caught as the original would be, as far as both processes know its classes."""
    return _make_class(raised.classes)(raised.error, raised.kind)


def rebuild_own_error(error: ErrorInfo) -> DibsError:
    """Make the error of `dibs.errors` that was described, or the root of them for somebody else's."""
    known = _OURS.get(error.type)
    return DibsError(f"{error.type}: {error.message}") if known is None else known(error.message)


def _judge(error: BaseException, classify: Classify) -> FailureKind:
    try:
        return FailureKind(classify(error))
    except Exception:  # noqa: BLE001 - a policy that fails must not cost the process
        return classify_error(error)


@cache
def _make_class(names: tuple[str, ...]) -> type[RemoteError]:
    return type("RemoteError", (RemoteError, *(_KNOWN[name] for name in names)), {})
