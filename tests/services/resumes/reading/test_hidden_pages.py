"""Ways in which a page hides a line, and what only seems to hide one; Chromium was asked what it shows."""

from base64 import b64encode

import pytest

from dibs.errors import UnreadableDocument
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.reading.html.css.media import applies
from dibs.services.resumes.reading.html.css.values import read_length
from tests.services.resumes.making import BODY, SECRET, codes_of, hidden_of, text_of

HELD = "data:text/css,.x%7Bdisplay:none%7D"
PACKED = f"data:text/css;base64,{b64encode(b'.x{display:none}').decode()}"

SHEETS = [
    f"@import url({HELD});",
    f"@import '{HELD}' screen;",
    f'@import url("{PACKED}");',
    "@import url(data:text/css,%40import%20%22data%3Atext%2Fcss%2C.x%257Bdisplay%3Anone%257D%22%3B);",
    "".join(f".a{number}{{color:red}}" for number in range(6_000)) + ".x{display:none}",
    f"/*{'a' * 600_000}*/.x{{display:none}}",
    f"@font-face{{font-family:a;src:url(data:font/woff2;base64,{'A' * 600_000})}}.x{{display:none}}",
    ":is(.y,.x){display:none}",
    "[title='a,b']{display:none}",
    ".y{content:'}'}.x{display:none}",
    ".y{content:'{'}.x{display:none}",
    ".x{background:url(data:image/gif;base64,AAAA);display:none}",
    ".x{display:none ! important}.x{display:block}",
    "@media not print{.x{display:none}}",
    "@media print, (width >= 100px){.x{display:none}}",
    "@scope (body){.x{display:none}}",
    "@keyframes a{from,to{opacity:0}}.x{animation:a 1s infinite}",
    "@keyframes a{to{opacity:0}}.x{animation:a 1s forwards}",
    "@keyframes a{from{opacity:0}}.x{animation:a 1s paused}",
    "html{color:#fff}p{color:#000}.x{color:inherit}",
    ".x{position:absolute;inset-inline-start:-9999px}",
    ".x{margin-inline-start:-9999px}",
    ".x{block-size:0;overflow:hidden}",
    ".x{height:0;overflow-block:clip}",
    ".x{height:0;contain:paint}",
    ".x{contain:strict}",
    ".x{content:url(data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)}",
    ".x{color:color-mix(in srgb,white,white)}",
    ".x{color:light-dark(white,black)}",
    ".x{color:Canvas}",
    ".x{color:hwb(0 100% 0%)}",
    ".x{color:oklch(1 .3 0)}",
    ".x{color:rgb(from white r g b)}",
    ".x{background:#fff;background-clip:text;color:transparent}",
    ".x{filter:invert(1)}",
    ".x{filter:blur(30px)}",
    ".x{color:#888;filter:brightness(100)}",
    "html{background:#fff}.x{mix-blend-mode:lighten}",
    ".x{backface-visibility:hidden;transform:rotateY(180deg)}",
    ".x{transform:rotate3d(1,0,0,90deg)}",
    ".x{transform:rotateY(.25turn)}",
    ".x{clip-path:xywh(0 0 0 0)}",
    ".x{clip-path:path('M0 0')}",
    ".x{mask:linear-gradient(#000,#000) no-repeat;mask-size:0 0}",
    ".x{font-size-adjust:0}",
    ".x{font-size:calc(1px + 0px)}",
    ".x{font-size:min(1px,10px)}",
    ".x{font-size:clamp(0px,1px,2px)}",
    ".x{opacity:calc(0)}",
    ".x{position:absolute;left:calc(0px - 9999px)}",
    ".x{position:absolute;left:-500vmin}",
    ".x{height:20px;overflow:hidden;line-height:400px}",
    ".x{width:200px;overflow:hidden;white-space:nowrap;text-indent:250px}",
    ".x{box-sizing:border-box;height:20px;padding-top:100px;overflow:hidden}",
    "html,body{background:#fff}.x{position:relative;z-index:-1}",
]


def read(inside: str, head: str = ""):
    return read_document(f"<!doctype html><html><head>{head}</head><body><p>{BODY}</p>{inside}</body></html>".encode())


def is_kept_out(document) -> bool:
    return (text_of(document), hidden_of(document), codes_of(document)) == (BODY, SECRET, ["hidden_text"])


@pytest.mark.parametrize("css", SHEETS, ids=range(len(SHEETS)))
def test_a_sheet_that_hides_a_line_keeps_it_out(css):
    assert is_kept_out(read(f"<p class=x title='a,b'>{SECRET}</p>", f"<style>{css}</style>"))


@pytest.mark.parametrize("address", [HELD, PACKED])
def test_a_sheet_that_an_address_holds_is_read(address):
    assert is_kept_out(read(f"<p class=x>{SECRET}</p>", f"<link rel=stylesheet href='{address}'>"))


BOX = "<div style='height:20px;overflow:hidden;position:relative'>{}</div>"
ELEMENTS = [
    "<details><summary></summary>{}</details>",
    "<details><p>{}</p></details>",
    "<div popover>{}</div>",
    "<div><template shadowrootmode=open></template>{}</div>",
    "<div style='background:#fff'><p style='position:relative;z-index:-1'>{}</p></div>",
    "<div><p style='position:absolute;z-index:-1'>{}</p><div style='background:#fff'></div></div>",
    BOX.format("<div style='height:100px'></div>{}"),
    BOX.format("<section><div style='min-height:100px'></div><div><p>{}</p></div></section>"),
    BOX.format("<p style='margin-top:100px'>{}</p>"),
    BOX.format("<p style='padding-top:100px'>{}</p>"),
    BOX.format("<br><br><br>{}"),
    BOX.format("<p>&nbsp;</p><p>&nbsp;</p><p>{}</p>"),
    BOX.format("<p style='position:relative;top:100px'>{}</p>"),
    BOX.format("<p style='position:absolute;top:100px'>{}</p>"),
    BOX.format("<p style='transform:translateY(100px)'>{}</p>"),
    "<div style='display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden'><br>{}</div>",
]


@pytest.mark.parametrize("form", ELEMENTS)
def test_a_line_that_its_surroundings_hide_is_kept_out(form):
    assert is_kept_out(read(form.format(SECRET)))


@pytest.mark.parametrize("tag", ["progress", "meter"])
def test_what_stands_in_a_bar_is_not_read(tag):
    assert text_of(read(f"<{tag}>{SECRET}</{tag}>")) == BODY


@pytest.mark.parametrize(
    "css",
    [
        "@media (prefers-color-scheme:dark){body{color:#fff}}",
        "@media (prefers-reduced-motion:reduce){p{opacity:0}}",
        "@supports not (display:grid){p{display:none}}",
        "</style><style media=print>p{display:none}",
        "p{background:linear-gradient(90deg,red,blue);-webkit-background-clip:text;-webkit-text-fill-color:transparent}",
        "p{background:linear-gradient(90deg,red,blue);background-clip:text;color:transparent}",
        "@keyframes in{to{opacity:1}}p{opacity:0;animation:in 1s forwards}",
        "@keyframes in{from{opacity:0}}p{animation:in 1s}",
        "@keyframes glow{from{opacity:0}to{opacity:1}}p{animation:glow 1s infinite}",
        "body{background:#eee}p{position:relative;z-index:-1}",
        "body{height:297mm;overflow:hidden}",
        "body{display:flex;height:30px;overflow:hidden}",
        "p{filter:grayscale(1) blur(.2px)}",
        "p{transform:rotate(90deg)}",
        "p{width:calc(100% - 20px);font-size:clamp(14px,2vw,18px);overflow:hidden}",
        "p{color:color-mix(in srgb,black 80%,white)}",
        "body{background:#fff}p{mix-blend-mode:multiply}",
        "p{overflow:hidden;height:50%}",
    ],
)
def test_what_ordinary_pages_do_hides_nothing(css):
    document = read("", f"<style>{css}</style>")
    assert (text_of(document), document.hidden) == (BODY, ())


def test_open_details_and_their_summary_are_read():
    assert text_of(read(f"<details open><p>{SECRET}</p></details>")) == f"{BODY} {SECRET}"
    assert text_of(read(f"<details><summary>{SECRET}</summary></details>")) == f"{BODY} {SECRET}"


def test_more_rules_than_can_be_followed_refuse_the_page_and_are_not_passed_over():
    css = "".join(f"p:not(.a{number}){{color:red}}" for number in range(6_000))
    with pytest.raises(UnreadableDocument) as refused:
        read(f"<p class=x>{SECRET}</p>", f"<style>{css}p.x.x{{display:none}}</style>")
    assert refused.value.code == "unsafe"


def test_sizes_by_variables_of_variables_are_worked_out():
    steps = "".join(f"--s{step + 1}:calc(var(--s{step}) * 1.25);" for step in range(6))
    document = read("<h1>Ada Lovelace</h1>", f"<style>:root{{--s0:16px;{steps}}}h1{{font-size:var(--s6)}}</style>")
    assert document.pages[0].words[-1].size == pytest.approx(16 * 1.25**6 * 0.75, abs=0.1)


def test_variables_that_grow_without_end_do_not():
    grown = "".join(f"--a{step}:var(--a{step + 1}) var(--a{step + 1});" for step in range(40))
    assert text_of(read("", f"<style>:root{{{grown}}}p{{background:var(--a0)}}</style>")) == BODY


@pytest.mark.parametrize(
    ("query", "is_true"),
    [
        ("", True),
        ("print", False),
        ("only screen and (max-width: 600px)", False),
        ("(400px <= width < 2000px)", True),
        ("not (min-width: 600px)", False),
        ("(max-width: 600px) or (orientation: landscape)", True),
        ("speech, all", True),
        ("(hover: none)", False),
    ],
)
def test_media_queries_are_answered_as_by_a_wide_light_screen(query, is_true):
    assert applies(query) is is_true


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("1e1px", 10.0),
        ("50%", 400.0),
        ("calc((2px + 3px) * -2)", -10.0),
        ("max(1px, 2em)", 32.0),
        ("calc(1px / 0)", None),
        ("calc(", None),
        (f"{'calc(' * 5_000}1px", None),
        ("auto", None),
    ],
)
def test_lengths_are_worked_out(text, pixels):
    assert read_length(text) == pixels
