"""Packages of npm, fetched on demand and never kept in the tree."""

import subprocess
from pathlib import Path

OPTIONS = ("--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps")


def fetch(packages: list[str], folder: Path) -> None:
    """Install each for itself: one that cannot be had does not keep the others away."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    for package in packages:
        command = ["npm", "install", *OPTIONS, package]
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=180)
