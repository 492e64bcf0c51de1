"""A career site to practise on: `python careers.py` prints its address, and every application that it gets.

python careers.py           confirms what it gets
python careers.py --mute    takes it, and answers with a blank page: nobody knows whether it was sent
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

FORM = """<!doctype html><title>Apply</title><h1>Cook at Ibis</h1>
<form method="post">
<p><label>Full name <input name="name" required></label></p>
<p><label>Years of experience <input name="years" type="number" required></label></p>
<p><label for="visa">Do you require a visa?</label>
<select name="visa" id="visa"><option></option><option>yes</option><option>no</option></select></p>
<button>Submit application</button>
</form>"""
THANKS = '<!doctype html><title>Thank you</title><h1 id="confirmation">We have received your application.</h1>'


class Careers(BaseHTTPRequestHandler):
    """One form, and what comes of it."""

    is_mute = False

    def do_GET(self) -> None:
        """Show the form."""
        self._answer(FORM)

    def do_POST(self) -> None:
        """Take an application."""
        fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        print(json.dumps({name: values[0] for name, values in fields.items()}), flush=True)
        self._answer("" if self.is_mute else THANKS)

    def _answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing of every request."""


if __name__ == "__main__":
    Careers.is_mute = "--mute" in sys.argv
    with ThreadingHTTPServer(("127.0.0.1", 0), Careers) as server:
        print(f"http://127.0.0.1:{server.server_port}/apply", flush=True)
        server.serve_forever()
