"""etcd for tests is real, and leaves nothing behind."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dibs.testing.servers import EtcdCluster, EtcdServer, ServerMissing
from tests.testing.test_servers import PARENT_THAT_IS_KILLED, is_alive, wait_for


def test_a_missing_etcd_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    server = EtcdServer()
    with pytest.raises(ServerMissing, match="apt-get install etcd-server"):
        server.start()
    server.close()
    assert not server.room.exists()


@pytest.mark.system
def test_a_closed_etcd_leaves_neither_process_nor_folder():
    with EtcdServer() as server:
        pid, room = server.pid, server.room
        assert server.is_leader
    assert not is_alive(pid)
    assert not room.exists()


@pytest.mark.system
def test_an_etcd_ends_when_its_parent_is_killed():
    command = [sys.executable, "-c", PARENT_THAT_IS_KILLED, "EtcdServer"]
    parent = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    pid, room = parent.stdout.split()
    assert wait_for(lambda: not is_alive(int(pid)))
    assert wait_for(lambda: not Path(room).exists())


@pytest.mark.system
def test_a_cluster_elects_another_leader_and_takes_the_old_one_back():
    with EtcdCluster() as cluster:
        old = cluster.find_leader()
        old.kill()
        assert cluster.find_leader() is not old
        old.start()
        assert all(member.is_ready() for member in cluster.members)
