"""Which extra brings what a command could not import."""

from dibs.assembly import find_left_out, name_part
from dibs.errors import MissingExtra

# By the name that is imported; tests/cli/test_extras.py keeps it beside pyproject.toml.
BROUGHT_BY = {
    "aiosqlite": "server",
    "alembic": "server",
    "argon2": "server",
    "asyncpg": "postgres",
    "cryptography": "encryption",
    "fastapi": "server",
    "h11": "server",
    "hiredis": "redis",
    "httpcore": "crawl",
    "httpx": "client",
    "idna": "crawl",
    "jinja2": "server",
    "lxml": "resumes",
    "onnxruntime": "ocr",
    "opentelemetry": "otel",
    "phonenumbers": "resumes",
    "PIL": "resumes",
    "prometheus_client": "metrics",
    "protego": "crawl",
    "pypdfium2": "resumes",
    "python_multipart": "server",
    "rapidocr": "ocr",
    "redis": "redis",
    "selectolax": "crawl",
    "sqlalchemy": "server",
    "starlette": "server",
    "tesserocr": "ocr",
    "uvicorn": "server",
}


def describe_left_out(part: str) -> str:
    """Name what is left out here, each with what it lacks; nothing if all is there."""
    lacking = find_left_out(part).items()
    return ", ".join(f"{name_part(package)} (no {name})" for package, name in lacking)


def name_missing(error: Exception) -> Exception:
    """Give an error that says what to install, if that is what is wrong; else the error itself."""
    if not isinstance(error, ModuleNotFoundError) or isinstance(error, MissingExtra):
        return error
    extra = BROUGHT_BY.get((error.name or "").partition(".")[0])
    return error if extra is None else MissingExtra(f"{error.name} is not installed. Run: pip install 'dibs[{extra}]'")
