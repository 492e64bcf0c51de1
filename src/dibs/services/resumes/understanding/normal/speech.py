"""Languages that people speak, and words for how well."""

import re
from functools import lru_cache
from typing import NamedTuple

_NAMES = """
en english englisch anglais inglés ingles
de german deutsch allemand alemán aleman
fr french französisch français francais francés frances
es spanish spanisch espagnol español espanol castellano castilian
it italian italienisch italien italiano
pt portuguese portugiesisch portugais portugués
nl dutch niederländisch néerlandais neerlandés holländisch
sv swedish schwedisch suédois sueco
no norwegian norwegisch norvégien noruego
da danish dänisch danois danés
fi finnish finnisch finnois finés finlandés
is icelandic isländisch
pl polish polnisch polonais polaco
cs czech tschechisch tchèque checo
sk slovak slowakisch
hu hungarian ungarisch hongrois húngaro
ro romanian rumänisch roumain rumano
bg bulgarian bulgarisch bulgare
hr croatian kroatisch croate
sr serbian serbisch serbe
bs bosnian bosnisch
sl slovenian slovene slowenisch
el greek griechisch grec griego
tr turkish türkisch turc turco
ru russian russisch russe ruso
uk ukrainian ukrainisch ukrainien ucraniano
ar arabic arabisch arabe árabe
he hebrew hebräisch hébreu hebreo
fa persian farsi persisch persan
ku kurdish kurdisch
ur urdu
hi hindi
bn bengali bangla
pa punjabi
ta tamil
te telugu
mr marathi
gu gujarati
kn kannada
ml malayalam
ne nepali
si sinhala
zh chinese mandarin cantonese chinesisch chinois chino mandarín
ja japanese japanisch japonais japonés
ko korean koreanisch coréen coreano
vi vietnamese vietnamesisch vietnamien vietnamita
th thai thailändisch thaï
id indonesian
ms malay
tl tagalog filipino
sw swahili suaheli
yo yoruba
ig igbo
ha hausa
am amharic
zu zulu
xh xhosa
af afrikaans
so somali
wo wolof
ca catalan katalanisch catalán català
eu basque euskera baskisch
gl galician gallego
cy welsh
ga irish gaelic
et estonian
lv latvian
lt lithuanian
sq albanian albanisch
hy armenian
ka georgian
az azerbaijani
kk kazakh
uz uzbek
mn mongolian
la latin latein
eo esperanto
lb luxembourgish luxemburgisch luxembourgeois
haw hawaiian
mi maori māori
qu quechua
ay aymara
gn guaraní guarani
ht kreyòl
rw kinyarwanda
ln lingala
sn shona
tn setswana tswana
st sesotho
ak twi akan
ff fulani fula pulaar peul
bm bambara
mg malagasy malgache
ti tigrinya
om oromo
ps pashto
sd sindhi
or odia
as assamese
my burmese
km khmer
lo lao
jv javanese
ceb cebuano
rm romansh rätoromanisch romanche
be belarusian belarussisch
mk macedonian mazedonisch
mt maltese
"""
_CODES = {name: code for code, *names in (line.split() for line in _NAMES.strip().split("\n")) for name in names}
_FINDER = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(_CODES, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
_FLUENCY = re.compile(
    r"\b(?:native(?: or bilingual)?(?: speaker| proficiency)?|bilingual|mother tongue|fluent|full professional(?: proficiency)?|professional working(?: proficiency)?|"
    r"limited working(?: proficiency)?|elementary(?: proficiency)?|professional(?: proficiency)?|conversational|proficient|upper[- ]intermediate|pre[- ]intermediate|intermediate|advanced|basic(?: knowledge)?|beginner|"
    r"working knowledge|business fluent|good|very good|excellent|intermediate level|learning|"
    r"muttersprach\w*|muttersprache|verhandlungssicher|fließend|fliessend|konversationssicher|sehr gut\w*|gute? kenntnisse|gut|grundkenntnisse|fortgeschritten|"
    r"langue maternelle|maternelle|bilingue|courante?|professionnel|avancé|intermédiaire|notions|débutant|lu,? écrit,? parlé|scolaire|"
    r"nativ[oa]|lengua materna|materna|bilingüe|fluido|avanzad[oa]|intermedi[oa]|básic[oa]|profesional|alto|medio|"
    r"[ABC][12](?:\s*[-–/]\s*[ABC][12])?)(?!\w)(?:\s*\(?[ABC][12]\)?)?",
    re.IGNORECASE,
)  # fmt: skip


class Named(NamedTuple):
    begin: int
    end: int
    code: str


@lru_cache(maxsize=2048)
def find_languages(text: str) -> tuple[Named, ...]:
    """Find the languages that a text names."""
    return tuple(Named(match.start(), match.end(), _CODES[match[0].casefold()]) for match in _FINDER.finditer(text))


def find_fluency(text: str) -> tuple[int, int] | None:
    match = _FLUENCY.search(text)
    return match.span() if match else None
