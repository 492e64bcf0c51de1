"""Names of months and seasons, full and short, with and without accents."""

_NAMES = """
january jan januar jänner janvier janv enero ene
february feb februar février fevrier févr fevr febrero
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

# A season is read as the month in which it usually begins.
SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "frühjahr": 3, "frühling": 3, "sommer": 6, "herbst": 9, "sommersemester": 4, "wintersemester": 10,
    "printemps": 3, "été": 6, "automne": 9, "hiver": 12,
    "primavera": 3, "verano": 6, "otoño": 9, "invierno": 12,
    "q1": 1, "q2": 4, "q3": 7, "q4": 10,
}  # fmt: skip
