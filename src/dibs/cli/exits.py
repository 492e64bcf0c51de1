"""What the exit code of a command means, and which error leads to which."""

from enum import IntEnum

from dibs.errors import (
    AccessError,
    AnswerNotFound,
    BadInput,
    BoardNotFound,
    DibsError,
    JobConflict,
    JobNotFound,
    KeyNotFound,
    LeaseLost,
    MissingExtra,
    NameTaken,
    PostingConflict,
    PostingNotFound,
    PostingUnfit,
    ProfileNotFound,
    RunNotFound,
    ScheduleConflict,
    ScheduleNotFound,
    SchemaMismatch,
    SourceNotFound,
    StoreAccessDenied,
    StoreError,
    TenantNotFound,
    UserNotFound,
    WebhookNotFound,
)


class Exit(IntEnum):
    """The exit codes; docs/reference/command-line.md has them as a table."""

    DONE = 0
    NOT_DONE = 1
    WRONG_USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    STORE_UNAVAILABLE = 5
    ACCESS_DENIED = 6
    SCHEMA_MISMATCH = 7
    MISSING_EXTRA = 8
    OUT_OF_TIME = 9
    FAULT = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


EXITS: dict[type[BaseException], Exit] = {
    BaseException: Exit.FAULT,
    DibsError: Exit.NOT_DONE,
    BadInput: Exit.WRONG_USAGE,
    JobNotFound: Exit.NOT_FOUND,
    SourceNotFound: Exit.NOT_FOUND,
    JobConflict: Exit.CONFLICT,
    ScheduleNotFound: Exit.NOT_FOUND,
    ScheduleConflict: Exit.CONFLICT,
    TenantNotFound: Exit.NOT_FOUND,
    KeyNotFound: Exit.NOT_FOUND,
    UserNotFound: Exit.NOT_FOUND,
    WebhookNotFound: Exit.NOT_FOUND,
    NameTaken: Exit.CONFLICT,
    AccessError: Exit.ACCESS_DENIED,
    BoardNotFound: Exit.NOT_FOUND,
    AnswerNotFound: Exit.NOT_FOUND,
    ProfileNotFound: Exit.NOT_FOUND,
    PostingNotFound: Exit.NOT_FOUND,
    RunNotFound: Exit.NOT_FOUND,
    PostingConflict: Exit.CONFLICT,
    PostingUnfit: Exit.CONFLICT,
    LeaseLost: Exit.CONFLICT,
    StoreError: Exit.STORE_UNAVAILABLE,
    StoreAccessDenied: Exit.ACCESS_DENIED,
    SchemaMismatch: Exit.SCHEMA_MISMATCH,
    MissingExtra: Exit.MISSING_EXTRA,
    TimeoutError: Exit.OUT_OF_TIME,
    KeyboardInterrupt: Exit.INTERRUPTED,
    BrokenPipeError: Exit.PIPE_CLOSED,
}


def find_exit(error: BaseException) -> Exit:
    """Give the exit code of the nearest class that has one."""
    return next(EXITS[kind] for kind in type(error).__mro__ if kind in EXITS)
