"""The figures we promise, on templates that nobody tuned for. Needs Chromium, LibreOffice and an OCR engine."""

import pytest

from evals.resumes.library import build, make_orders
from evals.resumes.rendering.missing import say_missing
from evals.resumes.report.figures import tally
from evals.resumes.report.reliability import find_sure_share
from evals.resumes.running import run_cases, spread
from evals.resumes.templates import find_templates

pytestmark = pytest.mark.system
FORMATS = {"pdf", "docx", "html", "scan"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    assert not [line for line in say_missing() if "chromium" in line or "soffice" in line]
    orders = make_orders(find_templates(aside=True), 4, formats=FORMATS, scans=2)
    cases = build(orders, tmp_path_factory.mktemp("resumes"))
    return list(run_cases(spread(cases), processes=2))


def macro_f1(results, **wanted):
    chosen = [one for one in results if all(getattr(one.case, key) in values for key, values in wanted.items())]
    assert chosen
    return tally(chosen).macro_f1


DIGITAL = {"pdf", "docx", "html"}


def test_no_document_breaks_the_parser(results):
    assert [one.error for one in results if one.error] == []


def test_nine_tenths_of_fields_come_out_right_on_templates_kept_aside(results):
    assert macro_f1(results, format=DIGITAL) >= 0.90


def test_columns_and_rails_are_read_nearly_as_well_as_a_single_column(results):
    single = macro_f1(results, format=DIGITAL, layout={"single"})
    assert macro_f1(results, format=DIGITAL, layout={"columns", "sidebar"}) >= single - 0.05
    assert macro_f1(results, format=DIGITAL, layout={"rail"}) >= single - 0.05


def test_scans_are_read_nearly_as_well_as_what_was_scanned(results):
    assert macro_f1(results, format={"scan"}) >= macro_f1(results, format={"pdf"}) - 0.10


def test_of_the_fields_given_nine_tenths_nine_in_ten_are_right(results):
    given = [one for result in results for one in result.verdict.given]
    share, amount = find_sure_share(given)
    assert amount > 1000
    assert share >= 0.9


def test_that_holds_for_scans_alone(results):
    given = [one for result in results if result.case.format == "scan" for one in result.verdict.given]
    share, amount = find_sure_share(given)
    assert amount > 100
    assert share >= 0.9
