"""What a fault of the driver or the server means to the caller."""

import re
from collections.abc import Sequence

from redis import exceptions as redis_errors

from dibs.errors import BadInput, OutcomeUnknown, StoreAccessDenied, StoreError, StoreUnavailable

# The server refused these before it did anything; what each begins with says why.
_REFUSALS: dict[str, tuple[type[StoreError], str]] = {
    "NOAUTH": (StoreAccessDenied, "wants a password. Put one into the URL: redis://:password@host"),
    "WRONGPASS": (StoreAccessDenied, "refused the user name or password. Check the URL."),
    "NOPERM": (
        StoreAccessDenied,
        "says that this user lacks a right. Grant all commands on the keys and channels of the namespace.",
    ),
    "OOM": (StoreUnavailable, "is out of memory and wrote nothing. Raise maxmemory, or prune finished jobs."),
    "MISCONF": (
        StoreUnavailable,
        "cannot save to its disk and takes no writes. Free disk space, then look at its log.",
    ),
    "READONLY": (StoreUnavailable, "is a replica and takes no writes. Name the primary, or use redis+sentinel://."),
    "LOADING": (StoreUnavailable, "is still loading its data. Try again in a moment."),
    "MASTERDOWN": (StoreUnavailable, "is a replica that lost its primary. Try again when it is back."),
    "NOREPLICAS": (StoreUnavailable, "has fewer replicas than min-replicas-to-write demands, and wrote nothing."),
    "CLUSTERDOWN": (StoreUnavailable, "belongs to a cluster that is down or lacks slots. Look at CLUSTER INFO."),
    "TRYAGAIN": (StoreUnavailable, "is moving our hash slot. Try again in a moment."),
    "BUSY": (StoreUnavailable, "is busy with a long script. Try again in a moment."),
    "DB index is out of range": (
        StoreUnavailable,
        "has no database of this number. Correct the end of the URL, such as /0, or raise `databases` in its settings.",
    ),
    "DENIED": (StoreAccessDenied, "is in protected mode. Set a password, or bind it to an address you trust."),
}


def refusal(error: BaseException, shown: str) -> StoreError:
    """Turn an error that the server answered into ours."""
    answer = str(error)
    for word, (kind, advice) in _REFUSALS.items():
        if _says(error, answer, word):
            return kind(f"the Redis server {shown} {advice}")
    return StoreError(f"the Redis server {shown} answered: {answer[:300]}")


def unknown_option(error: TypeError, ours: Sequence[str]) -> BadInput:
    """Name the option of the URL that the driver does not take."""
    quoted = re.search(r"argument '(\w+)'", str(error))
    named = "an option" if quoted is None else f"the option {quoted[1]!r}"
    return BadInput(
        f"redis-py does not take {named} of the Redis URL here. Dibs' own are {', '.join(ours)}; correct the URL."
    )


def unreachable(error: BaseException, shown: str) -> StoreError:
    """Turn a failed connection into ours: nothing was sent."""
    if isinstance(error, redis_errors.ResponseError) or is_answer(error):
        return refusal(error, shown)
    reason = str(error) or type(error).__name__
    return StoreUnavailable(
        f"cannot reach Redis at {shown} ({reason[:200]}). Check that it runs and that host and port are right."
    )


def broken(error: BaseException, shown: str, *, is_write: bool) -> StoreError:
    """Turn a connection that broke, or was silent too long, after we had sent something into ours."""
    reason = str(error) or type(error).__name__
    if is_write:
        return OutcomeUnknown(
            f"the connection to Redis at {shown} broke after a write was sent ({reason[:200]}):"
            " it may or may not have happened. Look before trying again."
        )
    return StoreUnavailable(f"the connection to Redis at {shown} broke ({reason[:200]}). Try again.")


def is_answer(error: BaseException) -> bool:
    """Whether the driver calls a connection fault what is in truth a refusal by the server."""
    return isinstance(error, redis_errors.AuthenticationError | redis_errors.BusyLoadingError)


_CLASSES: dict[str, tuple[type[redis_errors.RedisError], ...]] = {
    # One class for both; what NOAUTH says is below, and asked for first.
    "WRONGPASS": (redis_errors.AuthenticationError,),
    "NOPERM": (redis_errors.NoPermissionError,),
    "OOM": (redis_errors.OutOfMemoryError,),
    "READONLY": (redis_errors.ReadOnlyError,),
    "LOADING": (redis_errors.BusyLoadingError,),
    "MASTERDOWN": (redis_errors.MasterDownError,),
    "CLUSTERDOWN": (redis_errors.ClusterDownError,),
    "TRYAGAIN": (redis_errors.TryAgainError,),
}

_IN_OTHER_WORDS = {
    "NOAUTH": ("Authentication required",),
    "NOPERM": ("ACL failure in script", "The user executing the script"),
    "OOM": ("command not allowed when used memory",),
}


def _says(error: BaseException, answer: str, word: str) -> bool:
    # The driver cuts the word off some answers, and tells it by the class instead. Scripts have words of their own.
    is_class = isinstance(error, _CLASSES.get(word, ()))
    return is_class or answer.startswith((word, *_IN_OTHER_WORDS.get(word, ())))
