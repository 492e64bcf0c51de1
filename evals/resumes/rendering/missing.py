"""What this machine lacks: said once, clearly; everything else goes on."""

import shutil

PROGRAMS = {
    "chromium": ("chromium", "apt install chromium"),
    "word": ("soffice", "apt install libreoffice-writer"),
    "themes": ("npm", "apt install nodejs npm"),
    "latex": ("pdflatex", "apt install texlive-latex-extra texlive-fonts-extra"),
}


def has(tool: str) -> bool:
    return tool not in PROGRAMS or shutil.which(PROGRAMS[tool][0]) is not None


def say_missing() -> list[str]:
    """One line for each program that is not there: what is left out, and how to get it."""
    return [
        f"missing: {program}; its documents are left out of this run ({remedy})"
        for tool, (program, remedy) in PROGRAMS.items()
        if not has(tool)
    ]
