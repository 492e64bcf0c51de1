"""A diary: lines in files, each written through to the operating system before anything else happens."""

import os
import threading
from pathlib import Path

import msgspec

from dibs.torture.history.records import Record

# Small files: where the size of files is limited to fill the disk, the store must feel it and the diary must not.
LARGEST_FILE = 64 * 1024
SUFFIX = ".diary"


class Diary:
    """Belongs to one process; its threads may share it. What a killed process wrote is still true."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._folder = folder
        self._lock = threading.Lock()
        self._encoder = msgspec.json.Encoder()
        self._file = -1
        self._parts = 0
        self._size = LARGEST_FILE

    def write(self, record: Record) -> None:
        """Write one line."""
        line = self._encoder.encode(record) + b"\n"
        with self._lock:
            if self._size + len(line) > LARGEST_FILE:
                self._turn_page()
            self._size += os.write(self._file, line)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file, self._size = -1, LARGEST_FILE

    def _turn_page(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        path = self._folder / f"{self.name}.{self._parts:05d}{SUFFIX}"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._parts, self._size = self._parts + 1, 0
