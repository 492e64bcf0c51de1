"""LibreOffice turns DOCX into PDF: many files in one start, since a start costs seconds."""

import subprocess
import tempfile
from pathlib import Path


def convert_to_pdf(files: list[Path], folder: Path) -> None:
    """Write NAME.pdf into the folder for each file."""
    if not files:
        return
    with tempfile.TemporaryDirectory(prefix="dibs-office-") as profile:
        command = ["soffice", f"-env:UserInstallation={Path(profile).as_uri()}", "--headless", "--convert-to", "pdf"]
        command += ["--outdir", str(folder), *map(str, files)]
        subprocess.run(command, check=True, timeout=60 + 5 * len(files), capture_output=True)
