"""`dibs resumes`: documents in, profiles out."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from dibs.cli.exits import Exit
from dibs.cli.options import AsJson
from dibs.cli.printing import output
from dibs.cli.printing.progress import progress_bar
from dibs.errors import BadInput, MissingExtra, UnreadableDocument
from dibs.outside.models import ModelSettings, open_ask

if TYPE_CHECKING:
    from dibs.services.resumes.parser import ResumeParser

app = typer.Typer(name="resumes", help="Read resumes.", no_args_is_help=True)
SIDE_BY_SIDE = 2
INDENT = 1
ENDING = ".json"

Given = Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A document, or a folder of them.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Where NAME.EXT.json is written.", show_default="a file is printed"),
]
Ocr = Annotated[
    str | None,
    typer.Option(
        "--ocr", metavar="ENGINE", help="auto, tesserocr, rapidocr or off.", show_default="DIBS_RESUMES_OCR, or auto"
    ),
]


class Tally(msgspec.Struct):
    """How a batch went."""

    ok: int = 0
    needs_review: int = 0
    error: int = 0


@app.command("parse")
def parse(path: Given, out: Out = None, ocr: Ocr = None, as_json: AsJson = False) -> int:
    """Make a profile of each document: JSON Resume, with confidence and evidence.

    A document that cannot be read costs one line, and the batch goes on. Leaves with 2 when some were refused.
    """
    files = find_files(path, out)
    if out is None and path.is_dir():
        message = f"{path} is a folder. Say with --out DIR where its profiles go."
        raise BadInput(message)
    if out is not None:
        _make_folder(out)
    tally = asyncio.run(_parse_all(files, path, out, ocr))
    if as_json and out is not None:
        output.show_json(msgspec.to_builtins(tally))
    elif out is not None:
        parts = f"{tally.ok} ok, {tally.needs_review} to be reviewed, {tally.error} refused"
        output.show_line(f"{output.plural(len(files), 'document')}: {parts} · {out}")
    return Exit.WRONG_USAGE if tally.error else Exit.DONE


def find_files(path: Path, out: Path | None = None) -> list[Path]:
    """Give the documents that a path means; names with a dot in front are the system's own.

    What an earlier run wrote to `out` is none of them, also where that lies inside of the folder.
    """
    try:
        if path.is_file():
            return [path]
        found = _walk(path)
    except OSError as cause:
        message = f"{path} cannot be read: {cause.strerror}. Name a document, or a folder of them."
        raise BadInput(message) from cause
    shown = [file for file in found if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    files = [file for file in shown if out is None or not _is_profile(file, path, out)]
    if not files:
        message = f"{path} has no documents in it. Name another folder."
        raise BadInput(message)
    return files


def _walk(path: Path) -> list[Path]:
    if not path.is_dir():
        message = f"there is no {path}. Name a document, or a folder of them."
        raise BadInput(message)
    return [file for file in sorted(path.rglob("*")) if file.is_file() and not file.is_symlink()]


def _is_profile(file: Path, path: Path, out: Path) -> bool:
    """Tell whether this command wrote a file: its name is that of a document, and `.json`."""
    if file.suffix != ENDING or not file.resolve().is_relative_to(out.resolve()):
        return False
    return (path / file.resolve().relative_to(out.resolve())).with_suffix("").is_file()


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        message = f"profiles cannot be written to {out}: {cause.strerror}. Name another folder with --out."
        raise BadInput(message) from cause


async def _parse_all(files: list[Path], path: Path, out: Path | None, ocr: str | None) -> Tally:
    tally = Tally()
    turns = asyncio.Semaphore(SIDE_BY_SIDE)
    with open_parser(ocr) as parser, progress_bar("Reading", len(files)) as advance:

        async def do(file: Path) -> None:
            async with turns:
                resume = await _parse_one(parser, file)
                _note(tally, file, resume, _write(resume, file, path, out))
                advance(1)

        async with open_ask(ModelSettings.from_env()) as parser.ask:
            await asyncio.gather(*(do(file) for file in files))
    return tally


def open_parser(ocr: str | None) -> "ResumeParser":
    """Give a parser as the settings say, with another engine if one was named."""
    try:
        from dibs.services.resumes.parser import ResumeParser
        from dibs.services.resumes.settings import ResumeSettings
    except ImportError as cause:
        message = f"reading resumes needs {cause.name}. Install it: pip install 'dibs[resumes]'."
        raise MissingExtra(message) from cause
    settings = ResumeSettings.from_env()
    return ResumeParser(settings if ocr is None else _with_engine(settings, ocr))


def _with_engine(settings: Any, ocr: str) -> Any:
    try:
        return type(settings)(**{**msgspec.structs.asdict(settings), "ocr": type(settings.ocr)(ocr)})
    except ValueError as cause:
        message = f"--ocr {ocr!r} is no engine. Use auto, tesserocr, rapidocr or off."
        raise BadInput(message) from cause


async def _parse_one(parser: "ResumeParser", file: Path) -> dict[str, Any]:
    from dibs.services.resumes.parser import File, refused
    from dibs.services.resumes.reading.intake import read_file

    try:
        data = await asyncio.to_thread(read_file, file, parser.settings.max_bytes)
    except UnreadableDocument as refusal:
        return refused(refusal)
    return await parser.parse(File(data=data, name=file.name))


def _note(tally: Tally, file: Path, resume: dict[str, Any], fault: str) -> None:
    """Count a document, and say what went wrong: one whose profile is not there was not parsed."""
    status = "error" if fault else resume["meta"]["status"]
    setattr(tally, status, getattr(tally, status) + 1)
    refusals = [one["message"] for one in resume["meta"]["flags"]] if resume["meta"]["status"] == "error" else []
    for message in filter(None, [*refusals, fault]):
        output.tell(f"{file.name}: {message}")


def _write(resume: dict[str, Any], file: Path, path: Path, out: Path | None) -> str:
    """Write a profile, and give what kept it from being written."""
    text = msgspec.json.format(msgspec.json.encode(resume), indent=INDENT)
    if out is None:
        output.show_line(text.decode())
        return ""
    name = file.relative_to(path) if path.is_dir() else Path(file.name)
    target = out / name.parent / f"{name.name}{ENDING}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text + b"\n")
    except OSError as fault:
        return f"its profile cannot be written: {fault.strerror}."
    return ""
