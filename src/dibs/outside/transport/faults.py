"""Whose fault it is when a connection fails."""

import errno
import ssl
from collections.abc import Iterator
from typing import TypeGuard

import httpcore

from dibs.errors import BadInput, DibsError, FetchTimeout, HostFault, ProviderFault
from dibs.outside.transport.target import Target

_OURS = {
    errno.ENETUNREACH,
    errno.EHOSTUNREACH,
    errno.ENETDOWN,
    errno.EADDRNOTAVAIL,
    errno.EAFNOSUPPORT,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOBUFS,
    errno.ENOMEM,
    errno.EACCES,
    errno.EPERM,
}
TRANSLATED = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, httpcore.UnsupportedProtocol)


def explain(error: Exception, target: Target) -> DibsError:
    """Turn an error of the driver into ours."""
    if isinstance(error, httpcore.LocalProtocolError):
        return BadInput(f"this request to {target.origin} cannot be sent ({error}). Check its method and headers.")
    if isinstance(error, httpcore.PoolTimeout):
        return HostFault(f"all connections for {target.origin} are in use here. Fetch less at once.")
    if isinstance(error, httpcore.TimeoutException):
        return FetchTimeout(f"{target.origin} kept silent for too long ({type(error).__name__}). Try again later.")
    reason = _find_reason(error)
    if is_ours(error):
        return HostFault(f"this machine cannot reach {target.origin} ({reason}). Check its network and certificates.")
    return ProviderFault(f"{target.origin} failed ({reason}). Try again later.")


def is_ours(error: BaseException) -> bool:
    """Tell whether a failed connection says something about this machine only."""
    numbers = {one.errno for one in walk_causes(error) if _is_numbered(one)}
    return bool(numbers) and numbers <= _OURS


def walk_causes(error: BaseException) -> Iterator[BaseException]:
    """Give an error and all that caused it."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, one.__context__]
        waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else []


def _is_numbered(error: BaseException) -> TypeGuard[OSError]:
    # An error of TLS is an OSError too, but its number is from another list.
    return isinstance(error, OSError) and not isinstance(error, ssl.SSLError) and error.errno is not None


def _find_reason(error: BaseException) -> str:
    causes = list(walk_causes(error))
    refused = next((one for one in causes if isinstance(one, ssl.SSLCertVerificationError)), None)
    if refused is not None:
        return f"its certificate is not good: {refused.verify_message}"
    numbered = next((one for one in causes if _is_numbered(one)), error)
    return str(numbered) or type(numbered).__name__
