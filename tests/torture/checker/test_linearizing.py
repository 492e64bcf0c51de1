"""The search for an order, on small histories by hand and on published ones with known verdicts."""

import os
from pathlib import Path

import pytest

from dibs.torture.checker.linearizing import Call, Verdict, find_order, judge_parts
from dibs.torture.checker.models import LeaseModel, RegisterModel, TextModel
from dibs.torture.history.records import Move
from tests.torture.checker.published import read_jepsen, read_kv, read_verdicts

FOLDER = Path(os.environ.get("DIBS_HISTORIES_DIR", "none"))
VERDICTS = read_verdicts(FOLDER) if FOLDER.is_dir() else {}
published = pytest.mark.skipif(not VERDICTS, reason="DIBS_HISTORIES_DIR names no folder of published histories")


def write(began: float, ended: float, value: int) -> Call:
    return Call(began=began, ended=ended, what=("write", value), answer=True)


def read(began: float, ended: float, value: int | None) -> Call:
    return Call(began=began, ended=ended, what=("read",), answer=(value,))


def test_a_read_that_comes_after_a_write_must_see_it():
    assert find_order(RegisterModel(), [write(0, 1, 7), read(2, 3, 7)]).verdict is Verdict.HOLDS
    assert find_order(RegisterModel(), [write(0, 1, 7), read(2, 3, None)]).verdict is Verdict.BROKEN


def test_a_read_beside_a_write_may_see_either():
    for seen in (None, 7):
        assert find_order(RegisterModel(), [write(0, 5, 7), read(1, 2, seen)]).verdict is Verdict.HOLDS


def test_two_reads_may_not_go_back_in_time():
    calls = [write(0, 9, 7), read(1, 2, 7), read(3, 4, None)]
    finding = find_order(RegisterModel(), calls)
    assert finding.verdict is Verdict.BROKEN
    assert calls[2] in finding.stuck


def test_an_open_write_may_have_happened_late_or_never():
    lost = Call(began=0, what=("write", 7))
    assert find_order(RegisterModel(), [lost, read(1, 2, None), read(3, 4, 7)]).verdict is Verdict.HOLDS
    assert find_order(RegisterModel(), [lost, read(1, 2, None), read(3, 4, None)]).verdict is Verdict.HOLDS
    assert find_order(RegisterModel(), [read(1, 2, 7), Call(began=3, what=("write", 7))]).verdict is Verdict.BROKEN


def test_a_search_without_end_is_undecided():
    calls = [write(0, 100, number) for number in range(12)] + [read(200, 201, 99)]
    assert find_order(RegisterModel(), calls, budget=50).verdict is Verdict.UNDECIDED


def lease(began: float, ended: float, move: Move, token: int, answer: object) -> Call:
    return Call(began=began, ended=ended, what=(move, token), answer=answer)


def test_a_named_lease_is_refused_only_while_somebody_may_hold_it():
    taken = [lease(0, 1, Move.ACQUIRE, 0, 5), lease(2, 3, Move.ACQUIRE, 0, None), lease(4, 5, Move.RELEASE, 5, True)]
    assert find_order(LeaseModel(), taken).verdict is Verdict.HOLDS
    assert find_order(LeaseModel(), [*taken, lease(6, 7, Move.ACQUIRE, 0, None)]).verdict is Verdict.BROKEN


def test_a_superseded_holder_of_a_named_lease_can_neither_renew_nor_release():
    taken = [lease(0, 1, Move.ACQUIRE, 0, 5), lease(2, 3, Move.ACQUIRE, 0, 6)]
    for move in (Move.RENEW, Move.RELEASE):
        assert find_order(LeaseModel(), [*taken, lease(4, 5, move, 5, False)]).verdict is Verdict.HOLDS
        assert find_order(LeaseModel(), [*taken, lease(4, 5, move, 5, True)]).verdict is Verdict.BROKEN


def test_a_token_that_does_not_grow_is_found():
    calls = [lease(0, 1, Move.ACQUIRE, 0, 5), lease(2, 3, Move.ACQUIRE, 0, 5)]
    assert find_order(LeaseModel(), calls).verdict is Verdict.BROKEN


@published
@pytest.mark.parametrize("name", sorted(name for name in VERDICTS if name.startswith("etcd")))
def test_the_verdict_on_a_published_register_is_ours_too(name):
    finding = find_order(RegisterModel(), read_jepsen(FOLDER / "jepsen" / name))
    assert finding.verdict is (Verdict.HOLDS if VERDICTS[name] else Verdict.BROKEN)


@published
@pytest.mark.parametrize("name", sorted(name for name in VERDICTS if not name.startswith("etcd")))
def test_the_verdict_on_a_published_store_of_texts_is_ours_too(name):
    parts: dict[str, list[Call]] = {}
    for key, call in read_kv(FOLDER / "kv" / name):
        parts.setdefault(key, []).append(call)
    assert judge_parts(TextModel(), parts.values()) is (Verdict.HOLDS if VERDICTS[name] else Verdict.BROKEN)
