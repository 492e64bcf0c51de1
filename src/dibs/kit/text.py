"""Text that any store can keep."""


def cut_middle(text: str, limit: int) -> str:
    """Shorten `text` to at most `limit` characters, keeping its beginning and its end."""
    if len(text) <= limit:
        return text
    mark = f"\n… {len(text) - limit} characters left out …\n"
    keep = max(limit - len(mark), 0)
    head = keep // 3
    return text[:head] + mark[: limit - keep] + text[len(text) - (keep - head) :]


def printable(text: str, limit: int) -> str:
    """Cut a text and replace what cannot be stored everywhere: lone surrogates, and NUL, which PostgreSQL refuses."""
    clean = text.encode("utf-8", "replace").decode().replace("\x00", "�")
    return cut_middle(clean, limit)
