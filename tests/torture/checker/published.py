"""Reading histories that others published, with their verdicts."""

import json
import math
import re
from pathlib import Path
from typing import Any

from dibs.torture.checker.linearizing import Call

JEPSEN = re.compile(r"- (\d+)\s+:(\w+)\s+:(\w+)\s+(.*)$")
KV = re.compile(r':process (\d+), :type :(\w+), :f :(\w+), :key "(.*?)", :value (?:nil|"(.*)")\}')


def read_verdicts(folder: Path) -> dict[str, bool]:
    verdicts: dict[str, bool] = json.loads((folder / "verdicts.json").read_text())
    return verdicts


def read_jepsen(path: Path) -> list[Call]:
    """Read a log of one register. A swap that failed found another value; whatever timed out stays open."""
    calls: list[Call] = []
    asked: dict[str, tuple[float, tuple[Any, ...]]] = {}
    for line, text in enumerate(path.read_text().splitlines()):
        found = JEPSEN.search(text)
        if found is None:
            continue
        process, kind, verb, value = found.groups()
        if kind == "invoke":
            asked[process] = float(line), _question(verb, value.strip())
            continue
        began, what = asked.pop(process)
        if kind == "ok" or (kind == "fail" and verb == "cas"):
            answer: Any = (_value(value.strip()),) if verb == "read" else kind == "ok"
            looks = verb == "read" or kind == "fail"
            calls.append(Call(began=began, ended=float(line), what=what, answer=answer, only_looks=looks))
        elif verb != "read":
            calls.append(Call(began=began, what=what))
    return calls + [Call(began=began, what=what) for began, what in asked.values() if what[0] != "read"]


def _question(verb: str, value: str) -> tuple[Any, ...]:
    if verb == "read":
        return ("read",)
    if verb == "write":
        return ("write", _value(value))
    old, new = value.strip("[]").split()
    return ("swap", _value(old), _value(new))


def _value(text: str) -> int | None:
    return None if text == "nil" else int(text)


def read_kv(path: Path) -> list[tuple[str, Call]]:
    """Read a log of many texts: each call with its key."""
    calls: list[tuple[str, Call]] = []
    asked: dict[str, tuple[float, tuple[Any, ...]]] = {}
    for line, text in enumerate(path.read_text().splitlines()):
        found = KV.search(text)
        assert found is not None, text
        process, kind, verb, key, value = found.groups()
        if kind == "invoke":
            asked[process] = float(line), (verb,) if verb == "get" else (verb, value or "")
        else:
            began, what = asked.pop(process)
            calls.append(
                (key, Call(began=began, ended=float(line), what=what, answer=value or "", only_looks=verb == "get"))
            )
    assert not asked
    assert all(not math.isinf(call.ended) for _, call in calls)
    return calls
