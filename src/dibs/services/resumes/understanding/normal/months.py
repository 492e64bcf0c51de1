"""Names of months and seasons, full and short, with and without accents."""

_NAMES = """
january jan januar jänner janvier janv enero ene
february feb februar février fevrier févr fevr fév fev febrero
march mar märz maerz mrz mär mars marzo
april apr avril avr abril abr
may mai mayo
june jun juni juin junio
july jul juli juillet juil julio
august aug août aout agosto ago
september sept sep septembre septiembre setiembre
october oct oktober okt octobre octubre
november nov novembre noviembre
december dec dezember dez décembre decembre déc diciembre dic
"""

MONTHS = {name: number for number, names in enumerate(_NAMES.split("\n")[1:-1], start=1) for name in names.split()}

# A season or a quarter says nothing of the month: only its year is taken.
SEASONS = frozenset({
    "spring", "summer", "autumn", "fall", "winter",
    "frühjahr", "frühling", "sommer", "herbst", "sommersemester", "wintersemester",
    "printemps", "été", "automne", "hiver",
    "primavera", "verano", "otoño", "invierno",
    "q1", "q2", "q3", "q4",
})  # fmt: skip
