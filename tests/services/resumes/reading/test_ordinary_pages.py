"""What ordinary pages do with style sheets: a resume that a browser shows is read."""

import pytest

from dibs.errors import UnreadableDocument
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.reading.html.css.media import applies
from dibs.services.resumes.reading.html.css.weighing import specificity
from tests.services.resumes.making import BODY, SECRET, hidden_of, text_of


def read(css: str, *, inside: str = "", html: str = "", body: str = ""):
    page = f"<html {html}><style>{css}</style><body {body}><p class=page>{BODY}</p>{inside}</body></html>"
    return read_document(page.encode(), name="page.html")


SHOWN = [
    ":root{--fg:#222}body{background:#fff;color:var(--fg)}.button{--fg:#fff;background:#06c;color:var(--fg)}",
    ":root{--fg:#222}.page{background:#fff;color:var(--fg)}.dark{--fg:#fff}.dark .page{background:#222}",
    ".page{--ink:1;color:rgb(31 41 55 / var(--ink))}.ghost{--ink:0}",
    ".page{opacity:var(--seen,1)}.ghost{--seen:0}",
    ":root{--fg:#222}.page{color:var(--fg,rgb(255,255,255));background:#fff}",
    ":root{--fg:initial}.page{color:var(--fg,#222)}",
    "@media (min-aspect-ratio:21/9){.page{display:none}}",
    "@media (-webkit-min-device-pixel-ratio:2),(min-resolution:192dpi){.page{display:none}}",
    "@media (max-device-width:480px){.page{display:none}}",
    "@media (-ms-high-contrast:none){.page{display:none}}",
    "@media (update:slow){.page{display:none}}",
    "@layer base,theme;@layer theme{body{color:#222}}@layer base{body{color:#fff}}",
    "body{color:#222}@layer late{body{color:#fff}}",
    f"@layer {'.'.join(['a'] * 3_000)}{{p{{color:#222}}}}",
    ".page{display:block}:where(.page){display:none}",
    "p.page{display:block}:is(p){display:none}",
    ".page{visibility:inherit}",
    "body{visibility:hidden}.page{visibility:initial}",
    "body{background-color:#fff}body{background:#123;color:#fff}",
    "body{color:#fff}.page{color:initial}",
    "body{background:#123;color:#fff}.page{-webkit-text-fill-color:currentcolor}",
    "body{color:#fff}body::before{content:'';position:fixed;inset:0;background:#123;z-index:-1}",
    ".page{position:relative;color:#fff}.page:before{content:'';position:absolute;inset:0;background:#123;z-index:-1}",
    ".page::before{content:'';position:absolute;inset:0;background:#123;transform:translateX(-100%)}",
    ".page::after{position:absolute;inset:0;background:#123}",
    "*::before{box-sizing:border-box;content:''}",
    "</style><style type='text/less'>.page{display:none}",
]


@pytest.mark.parametrize("css", SHOWN)
def test_a_page_that_is_shown_is_read(css):
    document = read(css)
    assert (text_of(document), document.hidden) == (BODY, ())


@pytest.mark.parametrize("body", ["background=night.jpg text=white", "style='background:url(night.jpg);color:#fff'"])
def test_white_letters_on_a_picture_are_read(body):
    assert text_of(read("", body=body)) == BODY


def test_an_important_rule_is_stronger_than_what_an_element_says():
    css = ".shown{visibility:visible!important}.gone{display:none!important}"
    assert SECRET in text_of(read(css, inside=f"<p class=shown style='visibility:hidden'>{SECRET}</p>"))
    assert SECRET in hidden_of(read(css, inside=f"<p class=gone style='display:block'>{SECRET}</p>"))


@pytest.mark.parametrize(
    "css",
    [
        ".x{--fg:#fff}.page{color:#222}.x{color:var(--fg)}",
        ":root{--seen:0}.x{opacity:var(--seen,calc(1 * (1 + 0)))}",
        ":root{--a:var(--b);--b:none}.x{display:var(--a)}",
        "@layer late{.x{display:none!important}}.x{display:block!important}",
        "@media (min-width:calc(10px + 1em)){.x{display:none}}",
        "@container side (min-width:10px){.x{display:none}}",
        "@media (not (hover:none)){.x{display:none}}",
        "@media (min-resolution:.5dppx){.x{display:none}}",
        "@media (scripting:enabled){.x{display:none}}",
        "body{color:#fff}.page{color:#222}.x{color:revert}",
        ".x{position:relative}.x::after{content:'';position:absolute;inset:0;background:#fff}",
        ".x{position:relative}.x:before{content:'';position:absolute;inset:0;background:#fff}",
        ".x{position:relative;color:#fff;height:0}.x::before{content:'';position:absolute;inset:0;background:#123;z-index:-1}",
        ".x::first-line{color:#fff}",
        ".x:first-line{font-size:0}",
    ],
)
def test_a_line_hidden_by_the_same_means_is_kept_out(css):
    document = read(css, inside=f"<p class=x>{SECRET}</p>")
    assert (text_of(document), SECRET in hidden_of(document)) == (BODY, True)


BACK = "<div style='position:absolute;inset:0;background:#123;{}'></div>"
FRAME = "<div style='position:relative'>{}</div>"


@pytest.mark.parametrize(
    "inside",
    [
        BACK.format("z-index:-1") + "<p style='color:#fff'>{}</p>",
        BACK.format("") + "<p style='position:relative;color:#fff'>{}</p>",
        BACK.format("z-index:1") + "<p><span style='position:relative;z-index:2;color:#fff'>{}</span></p>",
        "<p style='position:relative;z-index:1;color:#fff'>{}</p>" + BACK.format(""),
        "<img src=a.jpg style='position:absolute;inset:0'><p style='position:relative;color:#fff'>{}</p>",
    ],
)
def test_what_comes_before_a_filled_element_stands_on_it(inside):
    assert SECRET in text_of(read("", inside=FRAME.format(inside.format(SECRET))))


@pytest.mark.parametrize(
    "inside",
    [
        BACK.format("") + "<p>{}</p>",
        BACK.format("") + "<p style='position:relative;color:#123'>{}</p>",
        "<p style='position:relative'>{}</p>" + BACK.format(""),
        BACK.format("z-index:1") + "<p style='opacity:.9'><span style='position:relative;z-index:2'>{}</span></p>",
        "<div style='background:#fff'>"
        + FRAME.format(BACK.format("z-index:-1") + "<p style='color:#fff'>{}</p>")
        + "</div>",
    ],
)
def test_what_a_filled_element_covers_is_kept_out(inside):
    document = read("", inside=FRAME.format(inside.format(SECRET)))
    assert (text_of(document), SECRET in hidden_of(document)) == (BODY, True)


def test_hundreds_of_covers_refuse_the_page():
    with pytest.raises(UnreadableDocument) as refused:
        read("", inside=BACK.format("") * 300)
    assert refused.value.code == "unsafe"


def test_what_stands_side_by_side_pushes_nothing_out_of_a_page():
    css = ".sheet{height:1000px;overflow:hidden}header,main{display:inline-block;height:1000px;width:45%}"
    document = read(css, inside=f"<div class=sheet><header>Ada</header><main>{SECRET}</main></div>")
    assert SECRET in text_of(document)


def test_an_element_has_the_variables_of_the_one_around_it():
    css = ":root{--fg:#fff}.card{--fg:#222}p{color:var(--fg)}"
    document = read(css, inside=f"<div class=card><p>{SECRET}</p></div>")
    assert (text_of(document), BODY in hidden_of(document)) == (SECRET, True)


def test_more_variables_than_can_be_followed_refuse_the_page():
    many = "".join(f"--v{number}:0;" for number in range(2_000))
    deep = "".join(f"<div style='--own:{number}'>" for number in range(600))
    with pytest.raises(UnreadableDocument) as refused:
        read(f":root{{{many}}}p{{opacity:var(--v1)}}", inside=f"{deep}<p>{SECRET}</p>")
    assert refused.value.code == "unsafe"


@pytest.mark.parametrize(
    ("query", "is_true"),
    [
        ("(16/9 > aspect-ratio)", True),
        ("(resolution: 1dppx)", True),
        ("(color)", True),
        ("(monochrome)", False),
        ("(prefers-contrast)", False),
        ("(never-heard-of)", False),
        ("(never-heard-of: 1)", False),
        ("(1px < never-heard-of)", False),
        ("screen and (not (orientation: portrait))", True),
    ],
)
def test_features_are_answered_as_by_a_browser(query, is_true):
    assert applies(query) is is_true


def test_a_list_of_selectors_weighs_as_its_closest_part():
    assert specificity(":where(#a) p") == specificity("p")
    assert specificity(":is(p, .a)") == specificity(".a")
    assert specificity("p:not(#a, b)") == specificity("#a") + specificity("p")
    assert specificity("a[href='x.y#z:']") == specificity("a.b")
