"""Every template of our own: which tool draws it, what its layout is, and whether it is kept aside."""

from msgspec import Struct

from evals.resumes.sheet import Traits

WEB_FORMATS = ("pdf", "html", "scan")
WORD_FORMATS = ("docx", "pdf", "scan")


class Template(Struct, frozen=True):
    name: str
    tool: str
    """chromium, reportlab or word: what draws it."""
    layout: str
    """single, columns, sidebar, rail, boxed or table: what reports group by."""
    traits: Traits = Traits()
    aside: bool = False

    @property
    def formats(self) -> tuple[str, ...]:
        return {"chromium": WEB_FORMATS, "word": WORD_FORMATS}.get(self.tool, ("pdf", "scan"))


WIDE_DATES = ("short", "long", "slash", "year")
TEMPLATES = (
    Template("classic", "chromium", "single", Traits(skills=("grouped",))),
    Template("modern", "chromium", "single", Traits(cases=("upper",), dates=WIDE_DATES)),
    Template("columns", "chromium", "columns", Traits()),
    Template("flowing", "chromium", "columns", Traits(shows_label=0.0, order=0)),
    Template("sidebar", "chromium", "sidebar", Traits(cases=("upper", "title"))),
    Template("rail", "chromium", "rail", Traits(shows_label=0.0, cases=("title", "upper", "lower"))),
    Template("boxed", "chromium", "boxed", Traits(labelled_contacts=True, shows_places=False)),
    Template("timeline", "chromium", "single", Traits(dates=("short", "slash", "year", "dot"))),
    Template(
        "tabular",
        "chromium",
        "table",
        Traits(shows_label=0.0, labelled_contacts=True, skills=("grouped",), dates=("slash", "dot", "long")),
    ),
    Template("band", "chromium", "single", Traits(dates=("short", "iso", "slash"))),
    Template("functional", "chromium", "single", Traits(shows_label=0.0, skills=("grouped",), order=1)),
    Template("compact", "chromium", "single", Traits(dates=WIDE_DATES, cases=("title", "lower"))),
    Template("halves", "chromium", "columns", Traits(cases=("title",))),
    Template("margin_right", "chromium", "sidebar", Traits(cases=("title", "lower"))),
    Template("ruled", "chromium", "table", Traits(labelled_contacts=True, dates=WIDE_DATES)),
    Template("pushed", "chromium", "sidebar", Traits(cases=("title", "upper"))),
    Template("unlinked", "chromium", "sidebar", Traits()),
    Template("spaced", "chromium", "rail", Traits(cases=("title",))),
    Template("portrait", "chromium", "sidebar", Traits(cases=("title", "upper")), aside=True),
    Template("mosaic", "chromium", "columns", Traits(dates=WIDE_DATES), aside=True),
    Template("sidebar_right", "chromium", "sidebar", Traits(cases=("upper", "title")), aside=True),
    Template("rail_rule", "chromium", "rail", Traits(shows_label=0.0, skills=("grouped",)), aside=True),
    Template("uneven", "chromium", "columns", Traits(), aside=True),
    Template("centred", "chromium", "single", Traits(shows_label=0.5), aside=True),
    Template("cards", "chromium", "boxed", Traits(dates=WIDE_DATES, labelled_contacts=True), aside=True),
    Template("plain", "chromium", "single", Traits(shows_label=0.0, shows_places=False, dates=WIDE_DATES), aside=True),
    Template("drawn_plain", "reportlab", "single", Traits(dates=WIDE_DATES)),
    Template("drawn_sidebar", "reportlab", "sidebar", Traits()),
    Template("drawn_grid", "reportlab", "table", Traits(shows_label=0.0, shows_places=False), aside=True),
    Template("word_classic", "word", "single", Traits(cases=("title", "upper"))),
    Template("word_sidebar", "word", "sidebar", Traits(shows_label=0.0)),
    Template("word_cells", "word", "columns", Traits()),
    Template("word_ledger", "word", "sidebar", Traits(shows_label=1.0), aside=True),
    Template("word_rail", "word", "rail", Traits(shows_label=0.0, cases=("title", "lower"))),
    Template(
        "word_tabs",
        "word",
        "single",
        Traits(shows_label=0.0, dates=("slash", "dot", "year"), labelled_contacts=True),
        aside=True,
    ),
    Template("word_frames", "word", "columns", Traits(shows_places=False), aside=True),
)


def find_templates(names: set[str] | None = None, *, aside: bool | None = None) -> list[Template]:
    chosen = [one for one in TEMPLATES if names is None or one.name in names]
    return [one for one in chosen if aside is None or one.aside == aside]
