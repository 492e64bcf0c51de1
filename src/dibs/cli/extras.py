"""Which extra brings what a command could not import."""

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


def name_missing(error: Exception) -> Exception:
    """Give an error that says what to install, if that is what is wrong; else the error itself."""
    if not isinstance(error, ModuleNotFoundError) or isinstance(error, MissingExtra):
        return error
    extra = BROUGHT_BY.get((error.name or "").partition(".")[0])
    return error if extra is None else MissingExtra(f"{error.name} is not installed. Run: pip install 'dibs[{extra}]'")
