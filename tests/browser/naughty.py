"""Strings that have broken pages before, ours by what they try, and others'. Each is to be shown, and never run."""

import json
from pathlib import Path

PACKAGES = Path(__file__).parents[2] / "frontend/node_modules"

MARK = "<x-owned>"
OWN = "window.owned=1"
MARKUP = (
    f"{MARK}</x-owned>",
    f"<script>{OWN}</script>",
    f"</script><script>{OWN}</script>",
    f"<img src=x onerror={OWN}>",
    f"<svg onload={OWN}>",
    f"<svg><script>{OWN}</script></svg>",
    "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    f"<details open ontoggle={OWN}>x</details>",
    f"<body onload={OWN}>",
    f"<input autofocus onfocus={OWN}>",
    f"<math><mi xlink:href='javascript:{OWN}'>x</mi></math>",
    f"<style>@import 'javascript:{OWN}'</style>",
    f"<a href='javascript:{OWN}'>x</a>",
    "<base href='//evil.example/'>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    f"<form><button formaction='javascript:{OWN}'>x",
)
BREAKING_OUT = (
    f'" autofocus onfocus={OWN} x="',
    f"' autofocus onfocus={OWN} x='",
    f'"><script>{OWN}</script>',
    f"'><script>{OWN}</script>",
    f"--><script>{OWN}</script><!--",
    f"]]><script>{OWN}</script>",
    f"</title><script>{OWN}</script>",
    f"</textarea><script>{OWN}</script>",
    f"</pre><script>{OWN}</script>",
    f"javascript:{OWN}",
    f"data:text/html,<script>{OWN}</script>",
    "`${window.owned=1}`",
)
TEMPLATES = (
    "{{ 7 * 7 }}",
    "{{ config }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{% endfor %}",
    "${7*7}",
    "#{7*7}",
    "<%= 7 * 7 %>",
    "[[${7*7}]]",
)
HTMX = (
    "<div hx-get=/jobs hx-trigger=load></div>",
    f"<div hx-on:click={OWN} hx-trigger=load></div>",
    f"<div hx-vals='js:{{x:{OWN}}}' hx-get=/ hx-trigger=load></div>",
    '<dibs-chart figures=\'{"at":[],"series":[]}\'></dibs-chart>',
)
TEXT = (
    "Ω≈ç√∫µ≤≥÷",
    "田中さんにあげて下さい",
    "مُنَاقَشَةُ سُبُلِ اِسْتِخْدَامِ اللُّغَةِ",
    "שלום \u202eevil\u202c",
    "Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\ufeff\u200b\u2060invisible",
    "' OR 1=1; DROP TABLE jobs; --",
    '=HYPERLINK("http://evil.example")',
    "../../../../etc/passwd",
    "%00%0d%0aSet-Cookie:owned=1",
    "a" * 180,
    "null",
    "undefined",
    "NaN",
    "1e309",
    "-0",
    "\\u003cscript\\u003e",
    "&lt;script&gt;&amp;quot;&#x3c;",
)
STRINGS = (*MARKUP, *BREAKING_OUT, *TEMPLATES, *HTMX, *TEXT)


def read_big_list() -> list[str]:
    """Read the big list of naughty strings, which comes with the packages of the pages."""
    found: list[str] = json.loads((PACKAGES / "big-list-of-naughty-strings/blns.json").read_text())
    return found


def as_name(text: str) -> str:
    """Names are printable, on one line."""
    return "".join(char for char in text if char.isprintable()).strip()[:190]
