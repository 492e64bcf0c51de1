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
pt portuguese portugiesisch portugais portugués portugues
nl dutch niederländisch néerlandais neerlandés holländisch
sv swedish schwedisch suédois sueco
no norwegian norwegisch norvégien noruego
da danish dänisch danois danés
fi finnish finnisch finnois finés finlandés
is icelandic isländisch islandais islandés
pl polish polnisch polonais polaco
cs czech tschechisch tchèque checo
sk slovak slowakisch slovaque eslovaco
hu hungarian ungarisch hongrois húngaro
ro romanian rumänisch roumain rumano
bg bulgarian bulgarisch bulgare búlgaro
hr croatian kroatisch croate croata
sr serbian serbisch serbe serbio
bs bosnian bosnisch bosnien bosnio
sl slovenian slovene slowenisch slovène esloveno
el greek griechisch grec griego
tr turkish türkisch turc turco
ru russian russisch russe ruso
uk ukrainian ukrainisch ukrainien ucraniano
ar arabic arabisch arabe árabe
he hebrew hebräisch hébreu hebreo hébreo
fa persian farsi persisch persan persa
ku kurdish kurdisch kurde kurdo
ur urdu ourdou
hi hindi
bn bengali bangla bengalisch bengalí
pa punjabi panjabi pendjabi
ta tamil tamoul
te telugu
mr marathi
gu gujarati
kn kannada
ml malayalam
ne nepali nepalesisch népalais nepalí
si sinhala sinhalese singhalesisch
zh chinese mandarin cantonese chinesisch chinois chino mandarín
ja japanese japanisch japonais japonés
ko korean koreanisch coréen coreano
vi vietnamese vietnamesisch vietnamien vietnamita
th thai thailändisch thaï tailandés
id indonesian indonesisch indonésien indonesio
ms malay malaiisch malais malayo
tl tagalog filipino
sw swahili suaheli kiswahili suajili
yo yoruba
ig igbo
ha hausa haoussa
am amharic amharisch
zu zulu zoulou zulú
xh xhosa
af afrikaans
so somali
wo wolof
ca catalan katalanisch catalán català catala
eu basque euskera baskisch vasco
gl galician gallego galicisch galicien galego
cy welsh gallois galés walisisch
ga irish gaelic irisch irlandais irlandés
et estonian estnisch estonien estonio
lv latvian lettisch letton letón
lt lithuanian litauisch lituanien lituano
sq albanian albanisch albanais albanés
hy armenian armenisch arménien armenio
ka georgian georgisch géorgien georgiano
az azerbaijani aserbaidschanisch
kk kazakh kasachisch
uz uzbek
mn mongolian mongolisch
la latin latein latín
eo esperanto
lb luxembourgish luxemburgisch luxembourgeois
mt maltese maltesisch maltais maltés
qu quechua kichwa
ay aymara aimara
gn guaraní guarani
nah nahuatl náhuatl
ht creole kreyòl
tw twi
ak akan
ff fulani fulfulde pulaar peul fula
bm bambara
ln lingala
rw kinyarwanda
rn kirundi
lg luganda
ki kikuyu gikuyu
sn shona
nd ndebele
tn tswana setswana
st sotho sesotho
ts tsonga
ve venda
ny chichewa
om oromo
ti tigrinya
mg malagasy malgache madagassisch
ber berber tamazight kabyle berbère bereber
ps pashto paschtu pachto
prs dari
tg tajik
tk turkmen
ky kyrgyz kirgisisch
ug uyghur
bo tibetan tibetisch tibétain
my burmese birmanisch birman
km khmer
lo lao laotian
jv javanese
su sundanese
ceb cebuano bisaya
mi maori māori
sm samoan
fj fijian
be belarusian belarussisch biélorusse bielorruso
mk macedonian mazedonisch macédonien macedonio
me montenegrin montenegrinisch
yi yiddish jiddisch
fy frisian friesisch
br breton bretonisch
or odia oriya
as assamese
sd sindhi
ks kashmiri
sa sanskrit
haw hawaiian
rm romansh rätoromanisch romanche
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
