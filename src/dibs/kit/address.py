"""The beginning of a URL, which says who is to read the rest of it."""

from urllib.parse import urlsplit

from dibs.errors import BadInput


def read_scheme(url: str) -> str:
    """Give the scheme of a URL; empty, if it has none. What cannot be taken apart is refused."""
    try:
        return urlsplit(url).scheme
    except ValueError:
        # Neither the URL nor the cause, which quotes it, is shown: a password may be in there.
        message = "this URL cannot be read: its host makes no sense. Encode odd characters of user and password with %."
        raise BadInput(message) from None
