"""What this machine enforces on the children that open documents, found out by trying."""

from dibs.engine.store.checkup import Finding, ok, warning
from dibs.errors import UnreadableDocument
from dibs.services.resumes.reading.scan.engines import Engine, name_engine
from dibs.services.resumes.sandbox.allowance import Allowance
from dibs.services.resumes.sandbox.client import Sandbox
from dibs.services.resumes.sandbox.requests import Try

TOPIC, OCR_TOPIC = "documents", "text recognition"
BRIEFLY = Allowance(wall_seconds=0.2)
DEEDS = {
    "network": "reach the network",
    "files": "read other files",
    "writing": "write files",
    "processes": "start processes",
    "memory": "take any amount of memory",
}
ADVICE = (
    "Linux 5.13 or newer on x86-64 or ARM enforces all of it. Elsewhere, run workers that read documents in a container"
    " of their own, without network and with a limit on memory."
)


def examine_sandbox() -> list[Finding]:
    """Try what a child must not be able to do, and look for a recogniser."""
    with Sandbox(is_warm=False) as sandbox:
        deeds = [deed for what, deed in DEEDS.items() if _can(sandbox, what)]
        if _can(sandbox, "sleep", BRIEFLY):
            deeds.append("run for any length of time")
    if deeds:
        finding = warning(TOPIC, f"a child that opens a document can still {', '.join(deeds)}", ADVICE)
    else:
        finding = ok(TOPIC, "each is opened in a child that cannot " + ", ".join(DEEDS.values()))
    return [finding, _examine_recogniser()]


def _can(sandbox: Sandbox, what: str, allowance: Allowance | None = None) -> bool:
    try:
        return sandbox.run(Try(what=what), allowance=allowance).done
    except UnreadableDocument:
        return False


def _examine_recogniser() -> Finding:
    engine = name_engine(Engine.AUTO)
    if engine is Engine.OFF:
        advice = "Install one: pip install 'dibs[ocr]'."
        return warning(OCR_TOPIC, "none is installed: resumes that are pictures are left to a person", advice)
    return ok(OCR_TOPIC, f"{engine.value} reads pictures")
