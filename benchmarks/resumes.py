"""Resumes: processor time, throughput and memory, beside pdfplumber with regular expressions, in one run.

    python -m benchmarks.resumes [--people 40] [--rounds 3] [--no-ocr] [--only-jobs]

Processor time is told, not time by the clock: a busy machine blurs the latter. Throughput is by the clock, through jobs
on SQLite with one worker, and means something on a quiet machine only.
"""

# ruff: noqa: SIM905, SLF001 - lists of names read best as words; the process of the sandbox is what is measured
import argparse
import asyncio
import io
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import docx
import pdfplumber
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

import dibs
from dibs.services.resumes.document import Kind
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.resumes.parser import File, ResumeParser
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.reading.scan.engines import name_engine
from dibs.services.resumes.sandbox import Parse, Sandbox, Scan
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.tasks import PARSE, declare_tasks
from dibs.services.resumes.understanding import understand

TODAY = date(2026, 11, 1)
FIRST = "Amara Bilal Chiara Dmitri Elena Farid Greta Hiroshi Ines Jonas Katya Leila Mateo Noor Oskar".split()
LAST = "Okafor Lindqvist Moreau Tanaka Novak Haddad Silva Keller Rossi Byrne Kowalski Duarte Nilsen".split()
FIRMS = "Northwind Logistics,Halcyon Labs,Bright Harbor Bank,Orchard Robotics,Meridian Health".split(",")
TITLES = "Data Engineer,Product Manager,Site Reliability Engineer,Financial Analyst,Nurse Manager".split(",")
WORDS = (
    "led the migration of payment services to a new platform reduced cost by forty percent and mentored engineers"
    " across teams building pipelines in Python with dashboards for finance and customers in several countries"
).split()
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
PHONE = re.compile(r"\+?\d[\d ()-]{7,}\d")
SECTION = re.compile(r"^(experience|education|skills)$", re.IGNORECASE | re.MULTILINE)
YEARS = re.compile(r"((?:19|20)\d{2})\s*[-–]\s*((?:19|20)\d{2}|present)", re.IGNORECASE)  # noqa: RUF001


def write_lines(chance: random.Random) -> list[tuple[str, float, bool]]:
    """Give the lines of a resume of two pages, each with its size and weight."""
    name = f"{chance.choice(FIRST)} {chance.choice(LAST)}"
    address = name.lower().replace(" ", ".")
    lines = [
        (name, 20.0, True),
        (f"{address}@example.org | +49 30 {chance.randrange(10**6, 10**7)} | Berlin", 10.0, False),
    ]
    lines.append(("EXPERIENCE", 13.0, True))
    for year in range(2024, 2006, -2):
        lines.append((f"{chance.choice(TITLES)}, {chance.choice(FIRMS)}   {year} - {year + 2}", 10.5, True))
        lines += [(f"• {' '.join(chance.choices(WORDS, k=13))}", 10.0, False) for _ in range(7)]
    lines += [("EDUCATION", 13.0, True), ("BSc Physics, University of Leeds   2002 - 2005", 10.0, False)]
    return [*lines, ("SKILLS", 13.0, True), ("Python, SQL, Kubernetes, Docker, Airflow, Spark", 10.0, False)]


def make_pdf(lines: list[tuple[str, float, bool]]) -> bytes:
    buffer = io.BytesIO()
    paper = canvas.Canvas(buffer, pagesize=A4)
    down = A4[1] - 60
    for text, size, is_bold in lines:
        if down < 60:
            paper.showPage()
            down = A4[1] - 60
        paper.setFont("Helvetica-Bold" if is_bold else "Helvetica", size)
        paper.drawString(50, down, text)
        down -= size * 1.5
    paper.save()
    return buffer.getvalue()


def make_docx(lines: list[tuple[str, float, bool]]) -> bytes:
    document = docx.Document()
    for text, size, is_bold in lines:
        if size == 13.0:
            document.add_heading(text, 1)
        else:
            document.add_paragraph().add_run(text).bold = is_bold
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def read_with_plumber(data: bytes) -> dict[str, object]:
    """Do what many do: the text of pdfplumber, and regular expressions on it."""
    with pdfplumber.open(io.BytesIO(data)) as file:
        text = "\n".join(page.extract_text() or "" for page in file.pages)
    email, phone = EMAIL.search(text), PHONE.search(text)
    return {
        "name": text.partition("\n")[0],
        "email": email and email[0],
        "phone": phone and phone[0],
        "sections": SECTION.findall(text),
        "years": YEARS.findall(text),
    }


def time_each(work: Callable[[bytes], object], files: list[bytes], rounds: int) -> float:
    """Give the median processor time of one file, in milliseconds."""
    work(files[0])
    times = []
    for _ in range(rounds):
        for data in files:
            began = time.process_time()
            work(data)
            times.append(time.process_time() - began)
    return statistics.median(times) * 1000


def parse_here(data: bytes) -> object:
    return understand(read_document(data, ocr=Engine.OFF), today=TODAY).to_json()


def time_child(sandbox: Sandbox, files: list[bytes]) -> float:
    """Give the processor time of a whole document in its child, fork and all, in milliseconds."""
    began = children_seconds(sandbox)
    for data in files:
        sandbox.run(Parse(today=TODAY), data)
    return (children_seconds(sandbox) - began) / len(files) * 1000


def children_seconds(sandbox: Sandbox) -> float:
    """Give the time that the warm parent and its ended children have used, as the kernel counts it."""
    fields = Path(f"/proc/{sandbox._process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[index]) for index in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int | str) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


async def time_jobs(files: list[bytes], settings: ResumeSettings) -> tuple[float, float, float]:
    """Give resumes a second through jobs, and the memory of the worker and of its sandbox."""
    with tempfile.TemporaryDirectory() as folder, ResumeParser(settings) as parser:
        documents = FolderDocuments(Path(folder) / "documents")
        app = dibs.Dibs(f"sqlite:///{folder}/jobs.db")
        app.include(declare_tasks(parser, documents))
        async with app:
            parser.sandbox.start()
            for number, data in enumerate(files):
                await app.enqueue(PARSE, {"document": await documents.put(data), "name": f"{number}.pdf"})
            began = time.perf_counter()
            await app.run_worker(handle_signals=False, until_drained=True)
            took = time.perf_counter() - began
        return len(files) / took, resident_mib("self"), resident_mib(parser.sandbox._process.pid)


def measure_text(args: argparse.Namespace) -> None:
    chance = random.Random(7)
    people = [write_lines(chance) for _ in range(args.people)]
    pdfs, docxs = [make_pdf(one) for one in people], [make_docx(one) for one in people]
    show("PDF of two pages, read", time_each(lambda data: read_document(data, ocr=Engine.OFF), pdfs, args.rounds))
    show("PDF of two pages, read and understood", time_each(parse_here, pdfs, args.rounds))
    show("DOCX, read and understood", time_each(parse_here, docxs, args.rounds))
    show("pdfplumber and regular expressions, the same PDF", time_each(read_with_plumber, pdfs[:10], 1))
    with Sandbox() as sandbox:
        sandbox.start()
        show("PDF of two pages in a child of its own, all included", time_child(sandbox, pdfs))
        show("DOCX in a child of its own, all included", time_child(sandbox, docxs))


def measure_jobs(args: argparse.Namespace) -> None:
    chance = random.Random(7)
    pdfs = [make_pdf(write_lines(chance)) for _ in range(args.people)]
    rate, worker, nursery = asyncio.run(time_jobs(pdfs * 5, ResumeSettings(ocr=Engine.OFF)))
    print(f"through jobs on SQLite, one worker, {os.cpu_count()} cores: {rate:.1f} resumes a second")
    print(f"memory: worker {worker:.0f} MiB, sandbox {nursery:.0f} MiB")


async def time_uploads(files: list[bytes]) -> tuple[float, float, float]:
    """Give what the sandbox takes to start, and then the first document and the tenth, by the clock, in milliseconds."""
    with ResumeParser(ResumeSettings(ocr=Engine.OFF)) as parser:
        began = time.perf_counter()
        await asyncio.to_thread(parser.sandbox.start)
        took = [time.perf_counter() - began]
        for data in files[:10]:
            began = time.perf_counter()
            await parser.parse_text(File(data=data, name="cv.pdf"))
            took.append(time.perf_counter() - began)
    return took[0] * 1000, took[1] * 1000, took[10] * 1000


def measure_uploads() -> None:
    chance = random.Random(7)
    start, first, tenth = asyncio.run(time_uploads([make_pdf(write_lines(chance)) for _ in range(10)]))
    print(f"sandbox started in {start:,.0f} ms; then the first document {first:,.0f} ms, the tenth {tenth:,.0f} ms")


def measure_ocr() -> None:
    page = make_pdf(write_lines(random.Random(7)))
    allowance = ResumeSettings().scan_allowance
    for engine in (Engine.TESSERACT, Engine.RAPID):
        if name_engine(engine) is not engine:
            print(f"{engine.value}: not installed")
            continue
        with Sandbox() as sandbox:
            request = Scan(kind=Kind.PDF, number=1, ocr=engine)
            sandbox.run(request, page, allowance=allowance)
            began = children_seconds(sandbox)
            sandbox.run(request, page, allowance=allowance)
            show(f"page at 200 dpi, {engine.value}", (children_seconds(sandbox) - began) * 1000)
            print(f"memory of the sandbox with {engine.value}: {resident_mib(sandbox._process.pid):.0f} MiB")


def show(what: str, milliseconds: float) -> None:
    print(f"{what}: {milliseconds:,.1f} ms of one core")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-ocr", action="store_true")
    parser.add_argument("--only-jobs", action="store_true", help="throughput and memory alone")
    args = parser.parse_args()
    if args.only_jobs:
        measure_jobs(args)
        return
    measure_text(args)
    measure_uploads()
    measure_jobs(args)
    if not args.no_ocr:
        measure_ocr()


if __name__ == "__main__":
    main()
