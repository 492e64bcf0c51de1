"""The clock that jumps: wrong for everybody in its process, and in nobody's way."""

import json
import runpy
import subprocess
import sys

from dibs.torture.stage.crew import SKEWED_START

PROGRAM = """
import json, runpy, sys, time
skewed = runpy.run_path(sys.argv[1])
skewed["skew_clock"].__globals__["find_skew"] = lambda: float(sys.argv[2])
skewed["skew_clock"]()

from datetime import UTC, datetime
import msgspec
from dibs.engine.admission.gate import Gate, GateMode, GateScope

true = skewed["true_time"]()
told = [datetime.now(UTC).timestamp(), datetime.utcnow().replace(tzinfo=UTC).timestamp()]
told += [time.time(), time.time_ns() / 1e9]
gate = Gate(scope=GateScope.QUEUE, name="q", mode=GateMode.CLOSED, expires_at=datetime.now(UTC))
assert msgspec.json.decode(msgspec.json.encode(gate), type=Gate) == gate
print(json.dumps([round((one - true) / 60) for one in told]))
"""


def ask_skewed_process(skew: float) -> list[int]:
    """Tell by how many minutes each way of asking for the time is wrong."""
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(SKEWED_START), str(skew)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [int(minutes) for minutes in json.loads(done.stdout)]


def test_every_way_to_ask_for_the_time_is_wrong_and_gates_are_read_all_the_same():
    assert ask_skewed_process(600.0) == [10, 10, 10, 10]
    assert ask_skewed_process(-86_400.0) == [-1440, -1440, -1440, -1440]


def test_the_clock_is_right_now_and_then_and_jumps_both_ways():
    jumps = runpy.run_path(str(SKEWED_START))["JUMPS"]
    assert min(jumps) < 0 < max(jumps)
    assert 0.0 in jumps
