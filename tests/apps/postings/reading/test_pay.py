"""Pay is found in text, in several currencies, periods and languages; other money is left alone."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.reading.currencies import guess_country, name_currency
from dibs.apps.postings.reading.pay import find_pay
from dibs.apps.postings.reading.periods import read_period


@pytest.mark.parametrize(
    ("text", "low", "high", "currency", "period"),
    [
        ("The salary range is $120,000 - $150,000 per year.", 120000, 150000, "USD", "year"),
        ("Base: $120-150K", 120000, 150000, "USD", "year"),
        ("US$180,000—US$220,000 USD", 180000, 220000, "USD", "year"),
        ("Compensation: $65.00 - $75.00 USD Hourly", 65, 75, "USD", "hour"),
        ("$18.25/hr - $22/hr", Decimal("18.25"), 22, "USD", "hour"),
        ("We raised $20M. Pay $45.50/hour", Decimal("45.5"), Decimal("45.5"), "USD", "hour"),
        ("C$90,000–C$110,000", 90000, 110000, "CAD", "year"),
        ("Annual salary: GBP 50000-60000", 50000, 60000, "GBP", "year"),
        ("$25 to $30 an hour", 25, 30, "USD", "hour"),
        ("We pay $25 - $30 gross an hr", 25, 30, "USD", "hour"),
        ("Salaire : 45 000 € par an", 45000, 45000, "EUR", "year"),
        ("Day rate £450 per day", 450, 450, "GBP", "day"),
        ("Gehalt: 60.000 bis 75.000 € brutto im Jahr", 60000, 75000, "EUR", "year"),
        ("Vergütung ab 55.000 EUR p.a.", 55000, None, "EUR", "year"),
        ("€ 3.500,00 bis 4.200,00 pro Monat", 3500, 4200, "EUR", "month"),
        ("Bruttomonatsgehalt: EUR 3.000,-", 3000, 3000, "EUR", "month"),
        ("Stundenlohn 15,50 €", Decimal("15.5"), Decimal("15.5"), "EUR", "hour"),
        ("Salaire : 45 000 € à 55 000 € brut annuel", 45000, 55000, "EUR", "year"),
        ("Salaire entre 2\u202f500 € et 2\u202f900 € par mois", 2500, 2900, "EUR", "month"),
        ("Salario: 2.500 - 3.000 € mensuales", 2500, 3000, "EUR", "month"),
        ("Stipendio: 1.800 - 2.200 € al mese", 1800, 2200, "EUR", "month"),
        ("Salaris tussen € 3.000 en € 3.800 per maand", 3000, 3800, "EUR", "month"),
        ("Wynagrodzenie: 15 000 - 20 000 zł miesięcznie netto + VAT", 15000, 20000, "PLN", "month"),
        ("Lön 45 000 – 55 000 kr per månad", 45000, 55000, "SEK", "month"),
        ("CHF 110'000 – 130'000", 110000, 130000, "CHF", "year"),
        ("年収600万円〜900万円", 6000000, 9000000, "JPY", "year"),
        ("CTC ₹12,00,000 - ₹15,00,000 per annum", 1200000, 1500000, "INR", "year"),
        ("12-15 LPA", 1200000, 1500000, "INR", "year"),
        ("salary 10,000 to 12,000 AED per month", 10000, 12000, "AED", "month"),
        ("Salary up to €90k per year", None, 90000, "EUR", "year"),
        ("Pay: $80,000+ annually", 80000, None, "USD", "year"),
        ("Kč 60 000 – 90 000 měsíčně", 60000, 90000, "CZK", "month"),
        ("R$ 12.000 mês", 12000, 12000, "BRL", "month"),
        ("RMB 20k-35k/month", 20000, 35000, "CNY", "month"),
        ("Lön: 40 000–50 000 kr/mån", 40000, 50000, "SEK", "month"),
        ("45 000 SEK i månaden", 45000, 45000, "SEK", "month"),
        ("Bonus of $5,000. Salary: $90,000 - $100,000 a year", 90000, 100000, "USD", "year"),
    ],
)
def test_pay_is_found(text, low, high, currency, period):
    pay = find_pay(text)
    assert pay is not None
    assert (pay.min, pay.max, pay.currency, pay.period) == (low, high, currency, period)
    assert not pay.is_structured


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We raised $20M in our Series B.",
        "$1,000 learning budget every year",
        "a $5,000 signing bonus",
        "401k matching since 2019, 20-30 days of holiday",
        "we serve 2,000 - 3,000 customers and moved $3 billion",
        "$50 gift card for referrals",
        "Work 9-5, 2024-2026",
        "€500 Zuschuss im Monat",
    ],
)
def test_other_money_is_no_pay(text):
    assert find_pay(text) is None


def test_a_shared_sign_means_the_money_of_the_place():
    dollars = find_pay("Salary: $90,000 - $110,000", country=guess_country("Toronto, Canada"))
    crowns = find_pay("Løn: 40.000 - 45.000 kr per måned", country=guess_country("Copenhagen"))
    assert [pay and pay.currency for pay in (dollars, crowns)] == ["CAD", "DKK"]
    assert guess_country("San Francisco, CA") is None


def test_codes_of_boards_are_read():
    assert [read_period(code) for code in ("1 YEAR", "per-hour-wage", "month", "NONE", None)] == [
        "year",
        "hour",
        "month",
        None,
        None,
    ]
    assert [name_currency(said) for said in ("usd", "€", "Kč", "XXX", "", None)] == [
        "USD",
        "EUR",
        "CZK",
        None,
        None,
        None,
    ]


@given(st.text(alphabet="0123456789.,'k$€£ -–toper yearhbis\n", max_size=80))
def test_any_text_is_read_and_what_is_found_makes_sense(text):
    pay = find_pay(text)
    if pay is not None:
        assert pay.currency
        assert pay.min is None or pay.max is None or pay.min <= pay.max


@pytest.mark.parametrize(
    ("text", "currency", "period"),
    [
        ("Salary: ZAR 450,000 - 600,000", "ZAR", "year"),
        ("ZAR 450,000 - 600,000", "ZAR", "year"),
        ("₹12,00,000 - ₹18,00,000", "INR", "year"),
        ("₩50,000,000 - ₩70,000,000", "KRW", "year"),
        ("Salary: CZK 600,000 - 700,000", "CZK", "year"),
        ("Wynagrodzenie: 15 000 - 20 000 PLN", "PLN", None),
        ("Salary: ZAR 45,000 - 60,000", "ZAR", None),
        ("Salary: HKD 40,000 - 50,000", "HKD", None),
    ],
)
def test_what_nobody_earns_in_a_month_is_a_years_pay_in_other_money_too(text, currency, period):
    pay = find_pay(text)
    assert pay is not None
    assert (pay.currency, pay.period) == (currency, period)
