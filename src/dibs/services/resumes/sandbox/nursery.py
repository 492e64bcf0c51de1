"""The warm parent: it has everything imported, and forks a child for every order.

It has one thread and does nothing itself but receive orders, fork, wait and kill, so that a child costs milliseconds
and starts from a clean state.
"""

import gc
import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress

import msgspec
from msgspec import Struct

from dibs.services.resumes.sandbox.confinement import confine, die_with_parent, leave_network
from dibs.services.resumes.sandbox.requests import Ending, Order, Scan
from dibs.services.resumes.sandbox.wire import CHUNK, ENDING, READY, missing, pack_frame, unpack_order

LARGEST_ORDER = 256 << 20
CRASHED = 70
CALM = 200_000
BEHIND = 5
"""Pictures take seconds: they are read behind what somebody waits for."""


class Charge(Struct):
    """One order: its connection, what has come of it, and the child that works on it."""

    connection: socket.socket
    buffer: bytearray
    pid: int = 0
    ends_at: float = 0.0
    late: bool = False


class Nursery:
    """Forks children and looks after them."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._charges: dict[int, Charge] = {}
        self._wake, self._waker = socket.socketpair()
        self._waker.setblocking(False)

    def run(self) -> None:
        """Work until the client is gone."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._control, selectors.EVENT_READ, None)
        self._selector.register(self._wake, selectors.EVENT_READ, None)
        self._control.send(READY)
        while self._tick():
            pass
        for charge in self._charges.values():
            _kill(charge)

    def _tick(self) -> bool:
        for key, _ in self._selector.select(self._patience()):
            if key.fileobj is self._control:
                if not self._accept():
                    return False
            elif key.fileobj is self._wake:
                self._wake.recv(CHUNK)
                self._reap()
            else:
                self._hear(key.data)
        self._end_late()
        return True

    def _patience(self) -> float | None:
        ends = [charge.ends_at for charge in self._charges.values() if charge.pid and not charge.late]
        return max(min(ends) - time.monotonic(), 0.0) if ends else None

    def _accept(self) -> bool:
        """Take a connection that the client hands over; False when the client is gone."""
        message, handles, _, _ = socket.recv_fds(self._control, 1, 1)
        for handle in handles:
            connection = socket.socket(fileno=handle)
            charge = self._charges[connection.fileno()] = Charge(connection, bytearray())
            self._selector.register(connection, selectors.EVENT_READ, charge)
        return bool(message)

    def _hear(self, charge: Charge) -> None:
        """Receive more of an order, or learn that nobody waits for it any more."""
        try:
            part = charge.connection.recv(CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._forget(charge)
            return
        charge.buffer += part
        if len(charge.buffer) > LARGEST_ORDER:
            self._forget(charge)
        elif missing(charge.buffer) <= 0 and not charge.pid:
            self._fork(charge)

    def _forget(self, charge: Charge) -> None:
        if charge.pid:
            _kill(charge)
            self._selector.unregister(charge.connection)
        else:
            self._close(charge)

    def _fork(self, charge: Charge) -> None:
        head, data = unpack_order(charge.buffer)
        charge.buffer = bytearray()
        order = msgspec.msgpack.decode(head, type=Order)
        if isinstance(order.request, Scan):
            _warm_recogniser(order.request)
        charge.pid = os.fork()
        if charge.pid == 0:
            _live(charge.connection, order, data)
        charge.ends_at = time.monotonic() + order.allowance.wall_seconds

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            charge = next((one for one in self._charges.values() if one.pid == pid), None)
            if charge is not None:
                peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
                ending = Ending(code=os.waitstatus_to_exitcode(status), late=charge.late, most_bytes=peak)
                with suppress(OSError):
                    # The client reads all the time, so this never waits for long.
                    charge.connection.sendall(pack_frame(ENDING, msgspec.msgpack.encode(ending)))
                self._close(charge)

    def _end_late(self) -> None:
        now = time.monotonic()
        for charge in self._charges.values():
            if charge.pid and not charge.late and charge.ends_at <= now:
                charge.late = True
                _kill(charge)

    def _close(self, charge: Charge) -> None:
        with suppress(KeyError, ValueError):
            self._selector.unregister(charge.connection)
        del self._charges[charge.connection.fileno()]
        charge.connection.close()


def _kill(charge: Charge) -> None:
    if charge.pid:
        with suppress(ProcessLookupError):
            os.kill(charge.pid, signal.SIGKILL)


def _live(connection: socket.socket, order: Order, data: bytes) -> None:
    """Be a child: shut the door, do the work, leave. Never returns."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        handle = _keep_only(connection)
        die_with_parent()
        from dibs.services.resumes.sandbox import work  # noqa: PLC0415 - imported by the parent already

        # A child lives for a moment, within a limit on its memory: looking for cycles all the time is a tenth of it.
        gc.set_threshold(CALM)
        if isinstance(order.request, Scan):
            os.nice(BEHIND)
        confine(order.allowance)
        work.send(handle, work.answer(order, data))
    except BaseException:  # noqa: BLE001 - a child must never run on into its parent's code
        os._exit(CRASHED)
    os._exit(0)


def _keep_only(connection: socket.socket) -> socket.socket:
    """Close everything but the connection: no other document's, no control, no terminal."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    os.dup2(connection.fileno(), 3)
    os.closerange(4, 4096)
    return socket.socket(fileno=os.dup(3))


def _warm_recogniser(request: Scan) -> None:
    """Load the recogniser before the fork, once, so that no child has to."""
    from dibs.services.resumes.reading.scan import find_recogniser  # noqa: PLC0415 - only for pictures

    find_recogniser(request.ocr)
    gc.freeze()


def warm_up() -> None:
    """Import what children need, and let it load its tables."""
    from dibs.services.resumes.sandbox import warming, work  # noqa: F401, PLC0415 - after the network is left

    warming.read_samples()
    gc.collect()
    gc.freeze()


def main() -> None:
    """Run as a process of its own, with the control connection at a number that is given."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # A supervisor tells all processes at once to stop. This one goes when the client does, after its last document.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with_parent()
    leave_network()
    if sys.argv[2] == "warm":
        warm_up()
    Nursery(control).run()


if __name__ == "__main__":
    main()
