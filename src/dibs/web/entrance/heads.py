"""HEAD: what a GET would be answered, without its body."""

from starlette.types import Message, Scope, Send


def as_get(scope: Scope, send: Send) -> tuple[Scope, Send]:
    """Ask as GET does, and let nothing but the head of the answer out. A stream ends where its body would begin."""
    is_over = False

    async def heading(message: Message) -> None:
        nonlocal is_over
        if is_over:
            return
        if message["type"] == "http.response.body":
            is_over = True
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await send(message)

    # A copy: whoever writes to the connection must still know that it was a HEAD.
    return {**scope, "method": "GET"}, heading
