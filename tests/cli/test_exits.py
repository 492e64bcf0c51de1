"""Errors and exit codes: one table."""

import inspect

import pytest

from dibs import errors
from dibs.cli.exits import Exit, find_exit

KINDS = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, errors.DibsError)]
EXPECTED = {
    errors.DibsError: 1,
    errors.BadInput: 2,
    errors.JobNotFound: 3,
    errors.JobConflict: 4,
    errors.SourceNotFound: 3,
    errors.ScheduleNotFound: 3,
    errors.ScheduleConflict: 4,
    errors.TenantNotFound: 3,
    errors.KeyNotFound: 3,
    errors.UserNotFound: 3,
    errors.NameTaken: 4,
    errors.AccessError: 6,
    errors.BoardNotFound: 3,
    errors.AnswerNotFound: 3,
    errors.PostingNotFound: 3,
    errors.ProfileNotFound: 3,
    errors.RunNotFound: 3,
    errors.PostingConflict: 4,
    errors.PostingUnfit: 4,
    errors.WebhookNotFound: 3,
    errors.LeaseLost: 4,
    errors.StoreError: 5,
    errors.StoreAccessDenied: 6,
    errors.SchemaMismatch: 7,
    errors.MissingExtra: 8,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_of_dibs_ends_with_the_code_of_its_nearest_ancestor(kind):
    nearest = next(parent for parent in kind.__mro__ if parent in EXPECTED)
    assert find_exit(kind("message")) == EXPECTED[nearest]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TimeoutError(), Exit.OUT_OF_TIME),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (BrokenPipeError(), Exit.PIPE_CLOSED),
        (ZeroDivisionError(), Exit.FAULT),
        (OSError(), Exit.FAULT),
    ],
)
def test_errors_from_elsewhere_have_codes_too(error, code):
    assert find_exit(error) == code
