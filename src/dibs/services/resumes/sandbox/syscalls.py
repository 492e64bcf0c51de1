"""No connection, no program, no process, no file written: a filter on what is asked of the Linux kernel."""

import ctypes
import errno
import os
import platform
import struct
from typing import Any

PR_SET_SECCOMP, MODE_FILTER = 22, 2
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, EQUALS, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
OTHER_TABLE = 0x40000000
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED = {
    "x86_64": (
        *(41, 42, 43, 49, 50, 53, 288),  # socket connect accept bind listen socketpair accept4
        *(56, 57, 58, 59, 322),  # clone fork vfork execve execveat
        *(62, 200, 234, 424),  # kill tkill tgkill pidfd_send_signal
        *(101, 310, 311, 434, 438),  # ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd
        *(76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 133),  # truncate rename mkdir link unlink chmod mknod
        *(258, 259, 260, 263, 264, 265, 266, 268, 316),  # the same by folder
        *(155, 161, 165, 166, 272, 308, 428, 429, 430, 431, 432, 433),  # pivot_root chroot mount unshare setns
        *(248, 249, 250, 298, 321, 323, 425, 426, 427),  # keys perf_event_open bpf userfaultfd io_uring
    ),
    "aarch64": (
        *(198, 199, 200, 201, 202, 203, 242),
        *(220, 221, 281),
        *(129, 130, 131, 424),
        *(117, 270, 271, 434, 438),
        *(45, 46, 33, 34, 35, 36, 37, 38, 52, 53, 54, 55, 276),
        *(39, 40, 41, 51, 97, 268, 428, 429, 430, 431, 432, 433),
        *(217, 218, 219, 241, 280, 282, 425, 426, 427),
    ),
}
UNKNOWN_THERE = (435, 437)
"""clone3 and openat2 keep what matters in memory, where a filter cannot look: programs fall back to the old ones."""
OPENS = {"x86_64": ((2, 1), (257, 2)), "aarch64": ((56, 2),)}


def restrict(library: Any) -> bool:
    """Put the filter on this process for good; False where the kernel or the processor is not known."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        return False
    program = build_filter(machine)
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return bool(library.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.create_string_buffer(head, len(head)), 0, 0) == 0)


def build_filter(machine: str) -> bytes:
    """Write the filter for a processor."""
    steps = [_step(LOAD, ARCHITECTURE), _step(EQUALS, ARCHITECTURES[machine], 1, 0), _step(RETURN, KILL)]
    steps += [_step(LOAD, NUMBER), _step(AT_LEAST, OTHER_TABLE, 0, 1), _step(RETURN, REFUSE | errno.EPERM)]
    for number in REFUSED[machine]:
        steps += [_step(EQUALS, number, 0, 1), _step(RETURN, REFUSE | errno.EPERM)]
    for number in UNKNOWN_THERE:
        steps += [_step(EQUALS, number, 0, 1), _step(RETURN, REFUSE | errno.ENOSYS)]
    for number, argument in OPENS[machine]:
        steps += [
            _step(EQUALS, number, 0, 4),
            _step(LOAD, ARGUMENTS + 8 * argument),
            _step(ANY_BIT, WRITES, 0, 1),
            _step(RETURN, REFUSE | errno.EACCES),
            _step(RETURN, ALLOW),
        ]
    return b"".join([*steps, _step(RETURN, ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
