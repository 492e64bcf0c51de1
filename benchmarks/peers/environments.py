"""Environments of the peers' own, so that none of them comes near ours. They are kept below build/ and used again."""

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.peers.catalogue import Peer

FOLDER = Path("build") / "peers"
PROGRAMS = Path(__file__).parent / "programs"


class NotInstalled(Exception):
    """A peer could not be installed: the others are measured without it."""


def command_of(peer: Peer) -> list[str]:
    """Install a peer if need be, and say how its program is started."""
    if not peer.packages:
        return [sys.executable, str(PROGRAMS / peer.program)]
    return _node_command(peer) if peer.is_node else _python_command(peer)


def _python_command(peer: Peer) -> list[str]:
    room = _room_of(peer)
    python = room / "bin" / "python"
    if not (room / "installed").exists():
        venv.create(room, with_pip=True, clear=True)
        _install([str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *peer.packages], peer)
        (room / "installed").touch()
    return [str(python), str(PROGRAMS / peer.program)]


def _node_command(peer: Peer) -> list[str]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise NotInstalled(f"{peer.name} needs Node and npm on the path")
    room = _room_of(peer)
    room.mkdir(parents=True, exist_ok=True)
    if not (room / "installed").exists():
        _install([npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(room), *peer.packages], peer)
        (room / "installed").touch()
    # Node looks for packages from where the program lies.
    program = room / peer.program
    shutil.copy(PROGRAMS / peer.program, program)
    return [node, str(program)]


def _room_of(peer: Peer) -> Path:
    mark = hashlib.sha256(" ".join(peer.packages).encode()).hexdigest()[:12]
    return (FOLDER / f"{peer.program.partition('.')[0]}-{mark}").resolve()


def _install(command: list[str], peer: Peer) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(f"{peer.name} could not be installed: {done.stderr.strip()[-300:]}")
