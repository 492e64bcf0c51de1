"""`python -m dibs.server.reference`."""

import sys

from dibs.server.reference.page import write_page

sys.stdout.write(write_page())
