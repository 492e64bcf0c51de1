"""Cutting text without losing the ends."""


def cut_middle(text: str, limit: int) -> str:
    """Shorten `text` to at most `limit` characters, keeping its beginning and its end."""
    if len(text) <= limit:
        return text
    mark = f"\n… {len(text) - limit} characters left out …\n"
    keep = max(limit - len(mark), 0)
    head = keep // 3
    return text[:head] + mark[: limit - keep] + text[len(text) - (keep - head) :]
