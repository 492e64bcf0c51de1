"""What every answer tells a browser, so that nothing of ours can be turned against whoever looks at it."""

# An answer of the API, shown by a browser by itself, can do nothing.
API_POLICY = "default-src 'none'; frame-ancestors 'none'"
# Pages load what they need from us alone; no script or style stands inside of one, and none is made of text.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": API_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would leave out where our own forms come from, and they would be refused.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# Only where people come over https.
STRICT_TRANSPORT = "max-age=31536000"


def encode_headers(*, is_secure: bool) -> tuple[tuple[bytes, bytes], ...]:
    """Write them as the server protocol takes them."""
    more = {"Strict-Transport-Security": STRICT_TRANSPORT} if is_secure else {}
    return tuple((name.lower().encode(), value.encode()) for name, value in (SECURITY_HEADERS | more).items())
