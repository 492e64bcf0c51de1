"""The app for code that is not async, across a fork."""

import subprocess
import sys

FORKING = """
import os, sys
import dibs

app = dibs.Dibs(sys.argv[1])
assert app.sync.enqueue("BEFORE").state == "pending"
child = os.fork()
if child == 0:
    job = app.sync.enqueue("IN_CHILD")
    assert app.sync.find_job(job.id) is not None
    app.sync.close()
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert app.sync.enqueue("AFTER").state == "pending"
app.sync.close()
"""


def test_a_forked_child_and_its_parent_both_go_on(tmp_path):
    command = [sys.executable, "-c", FORKING, f"sqlite:///{tmp_path}/jobs.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
