"""Names of countries, regions and large cities: enough to tell a place from an employer."""

from functools import cache
from importlib.resources import files

_COUNTRIES = """
US:United States|United States of America|USA|U.S.A.|U.S.|US|Vereinigte Staaten|États-Unis|Estados Unidos|EE.UU.
GB:United Kingdom|UK|U.K.|Great Britain|England|Scotland|Wales|Northern Ireland|Großbritannien|Vereinigtes Königreich|Royaume-Uni|Angleterre|Reino Unido|Inglaterra
IE:Ireland|Irland|Irlande|Irlanda
DE:Germany|Deutschland|Allemagne|Alemania
AT:Austria|Österreich|Autriche
CH:Switzerland|Schweiz|Suisse|Suiza|Svizzera
FR:France|Frankreich|Francia
BE:Belgium|Belgien|Belgique|Bélgica
NL:Netherlands|The Netherlands|Niederlande|Pays-Bas|Países Bajos|Holland
LU:Luxembourg|Luxemburg|Luxemburgo
ES:Spain|Spanien|Espagne|España
PT:Portugal
IT:Italy|Italien|Italie|Italia
GR:Greece|Griechenland|Grèce|Grecia
PL:Poland|Polen|Pologne|Polonia|Polska
CZ:Czech Republic|Czechia|Tschechien|République tchèque|República Checa
SK:Slovakia|Slowakei
HU:Hungary|Ungarn|Hongrie|Hungría
RO:Romania|Rumänien|Roumanie|Rumanía
BG:Bulgaria|Bulgarien|Bulgarie
HR:Croatia|Kroatien|Croatie|Croacia
SI:Slovenia|Slowenien
RS:Serbia|Serbien|Serbie
UA:Ukraine|Ucrania
RU:Russia|Russland|Russie|Rusia
TR:Turkey|Türkiye|Türkei|Turquie|Turquía
SE:Sweden|Schweden|Suède|Suecia
NO:Norway|Norwegen|Norvège|Noruega
DK:Denmark|Dänemark|Danemark|Dinamarca
FI:Finland|Finnland|Finlande|Finlandia
IS:Iceland|Island|Islande|Islandia
EE:Estonia|Estland
LV:Latvia|Lettland
LT:Lithuania|Litauen
CA:Canada|Kanada|Canadá
MX:Mexico|Mexiko|Mexique|México
AR:Argentina|Argentinien|Argentine
CL:Chile|Chili
CO:Colombia|Kolumbien|Colombie
PE:Peru|Pérou|Perú
VE:Venezuela
EC:Ecuador|Équateur
UY:Uruguay
BO:Bolivia
CR:Costa Rica
PA:Panama|Panamá
CU:Cuba
DO:Dominican Republic|República Dominicana
BR:Brazil|Brasilien|Brésil|Brasil
IN:India|Indien|Inde
PK:Pakistan
BD:Bangladesh
LK:Sri Lanka
NP:Nepal
CN:China|Chine
HK:Hong Kong
TW:Taiwan
JP:Japan|Japon|Japón
KR:South Korea|Korea|Südkorea|Corée du Sud|Corea del Sur
SG:Singapore|Singapur|Singapour
MY:Malaysia|Malaisie
ID:Indonesia|Indonesien
TH:Thailand|Thaïlande
VN:Vietnam|Viet Nam
PH:Philippines|Filipinas
AU:Australia|Australien|Australie
NZ:New Zealand|Neuseeland|Nouvelle-Zélande|Nueva Zelanda
ZA:South Africa|Südafrika|Afrique du Sud|Sudáfrica
NG:Nigeria
KE:Kenya|Kenia
GH:Ghana
EG:Egypt|Ägypten|Égypte|Egipto
MA:Morocco|Marokko|Maroc|Marruecos
TN:Tunisia|Tunesien|Tunisie
DZ:Algeria|Algérie
SN:Senegal|Sénégal
CI:Ivory Coast|Côte d'Ivoire
CM:Cameroon|Cameroun
ET:Ethiopia|Äthiopien
TZ:Tanzania
UG:Uganda
RW:Rwanda
IL:Israel
AE:United Arab Emirates|UAE|U.A.E.
SA:Saudi Arabia
QA:Qatar
LB:Lebanon|Liban
JO:Jordan
IR:Iran
IQ:Iraq
CY:Cyprus|Zypern
MT:Malta
"""

_STATES = """AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|FL Florida|
GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|
MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|
NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|
RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|
WV West Virginia|WI Wisconsin|WY Wyoming|DC District of Columbia|ON Ontario|QC Quebec|BC British Columbia|AB Alberta|
MB Manitoba|NS Nova Scotia|SK Saskatchewan|NB New Brunswick|NSW New South Wales|VIC Victoria|QLD Queensland"""

_REGIONS = """Bayern|Québec|Quebec|Bavaria|Hessen|Sachsen|Baden-Württemberg|Nordrhein-Westfalen|NRW|Niedersachsen|Brandenburg|Île-de-France|
Bretagne|Occitanie|Provence|Cataluña|Catalunya|Catalonia|Andalucía|Galicia|Comunidad de Madrid|País Vasco|Lombardia|Toscana|
Maharashtra|Karnataka|Tamil Nadu|Telangana|Kerala|Gujarat|Punjab|Uttar Pradesh|West Bengal|Haryana|Rajasthan|
Greater London|Bay Area|San Francisco Bay Area|Silicon Valley|Kent|Surrey|Essex|Yorkshire|Jalisco|Nuevo León|São Paulo|SP|RJ"""

_CITIES = """New York|New York City|NYC|Los Angeles|San Francisco|Chicago|Boston|Seattle|Austin|Denver|Dallas|Houston|Atlanta|Miami|
Philadelphia|Phoenix|San Diego|San Jose|Portland|Minneapolis|Detroit|Pittsburgh|Washington|Washington D.C.|Washington, D.C.|Washington DC|Baltimore|
Nashville|Charlotte|Raleigh|Durham|Columbus|Cleveland|Cincinnati|Indianapolis|Milwaukee|Kansas City|St. Louis|New Orleans|
Salt Lake City|Las Vegas|Sacramento|Oakland|Berkeley|Palo Alto|Mountain View|Menlo Park|Cupertino|Sunnyvale|Santa Clara|
Redmond|Bellevue|Cambridge|Ann Arbor|Madison|Tampa|Orlando|San Antonio|Honolulu|Buffalo|Brooklyn|Jersey City|Princeton|
Toronto|Montreal|Montréal|Vancouver|Ottawa|Calgary|Edmonton|Winnipeg|Québec|Waterloo|Halifax|
Mexico City|Ciudad de México|CDMX|Guadalajara|Monterrey|Puebla|Buenos Aires|Córdoba|Rosario|Santiago|Santiago de Chile|Bogotá|Medellín|Cali|
Lima|Quito|Caracas|Montevideo|La Paz|San Juan|Havana|São Paulo|Sao Paulo|Rio de Janeiro|Brasília|Curitiba|Porto Alegre|Belo Horizonte|Recife|
London|Manchester|Birmingham|Leeds|Liverpool|Bristol|Sheffield|Newcastle|Nottingham|Oxford|Brighton|Reading|Edinburgh|Glasgow|
Cardiff|Belfast|Leicester|Southampton|York|Bath|Aberdeen|Exeter|Dublin|Cork|Galway|Limerick|
Berlin|Hamburg|München|Munich|Köln|Cologne|Frankfurt|Frankfurt am Main|Stuttgart|Düsseldorf|Dusseldorf|Leipzig|Dortmund|Essen|Bremen|Dresden|
Hannover|Hanover|Nürnberg|Nuremberg|Duisburg|Bochum|Wuppertal|Bielefeld|Bonn|Münster|Karlsruhe|Mannheim|Augsburg|Wiesbaden|Mainz|Kiel|
Freiburg|Heidelberg|Darmstadt|Aachen|Ulm|Jena|Potsdam|Rostock|Regensburg|Würzburg|Göttingen|Kassel|Erfurt|Magdeburg|Halle|Konstanz|Tübingen|
Wien|Vienna|Graz|Linz|Salzburg|Innsbruck|Zürich|Zurich|Genf|Genève|Geneva|Basel|Bern|Lausanne|Luzern|St. Gallen|Zug|
Paris|Lyon|Marseille|Toulouse|Nice|Nantes|Strasbourg|Montpellier|Bordeaux|Lille|Rennes|Grenoble|Rouen|Dijon|Angers|Reims|Nancy|Metz|Tours|
Orléans|Brest|Caen|Clermont-Ferrand|Le Havre|Saint-Étienne|Toulon|Aix-en-Provence|Sophia Antipolis|
Brussels|Bruxelles|Brüssel|Antwerp|Antwerpen|Ghent|Gent|Liège|Leuven|Amsterdam|Rotterdam|The Hague|Den Haag|Utrecht|Eindhoven|Groningen|Delft|Leiden|
Madrid|Barcelona|Valencia|Sevilla|Seville|Zaragoza|Málaga|Malaga|Murcia|Palma|Bilbao|Alicante|Valladolid|Vigo|Gijón|Granada|A Coruña|Vitoria|Santander|
Pamplona|San Sebastián|Salamanca|Cádiz|Oviedo|Lisbon|Lisboa|Porto|Braga|Coimbra|Rome|Roma|Milan|Milano|Turin|Torino|Naples|Napoli|Florence|Firenze|
Bologna|Venice|Venezia|Genoa|Genova|Padova|Pisa|Athens|Thessaloniki|Warsaw|Warszawa|Kraków|Krakow|Wrocław|Wroclaw|Gdańsk|Gdansk|Poznań|Poznan|Łódź|
Prague|Praha|Brno|Bratislava|Budapest|Bucharest|București|Cluj-Napoca|Iași|Timișoara|Sofia|Zagreb|Ljubljana|Belgrade|Beograd|Kyiv|Kiev|Lviv|Kharkiv|
Moscow|Saint Petersburg|St. Petersburg|Istanbul|Ankara|Izmir|Stockholm|Gothenburg|Göteborg|Malmö|Uppsala|Oslo|Bergen|Trondheim|Copenhagen|København|Aarhus|
Helsinki|Espoo|Tampere|Reykjavík|Reykjavik|Tallinn|Riga|Vilnius|
Mumbai|Delhi|New Delhi|Bangalore|Bengaluru|Hyderabad|Chennai|Kolkata|Pune|Ahmedabad|Jaipur|Gurgaon|Gurugram|Noida|Kochi|Indore|Lucknow|Chandigarh|
Karachi|Lahore|Islamabad|Dhaka|Colombo|Kathmandu|Beijing|Shanghai|Shenzhen|Guangzhou|Hangzhou|Chengdu|Nanjing|Wuhan|Hong Kong|Taipei|
Tokyo|Osaka|Kyoto|Yokohama|Nagoya|Fukuoka|Seoul|Busan|Singapore|Kuala Lumpur|Penang|Jakarta|Bandung|Bangkok|Hanoi|Ho Chi Minh City|Manila|Cebu|
Sydney|Melbourne|Brisbane|Perth|Adelaide|Canberra|Auckland|Wellington|Christchurch|Cape Town|Johannesburg|Durban|Pretoria|Lagos|Abuja|Nairobi|Accra|
Cairo|Alexandria|Casablanca|Rabat|Marrakech|Tunis|Algiers|Alger|Dakar|Abidjan|Douala|Addis Ababa|Kampala|Kigali|Dar es Salaam|Tel Aviv|Jerusalem|Haifa|
Dubai|Abu Dhabi|Riyadh|Jeddah|Doha|Beirut|Amman|Tehran|Baghdad"""


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.replace("\n", "").split("|")]


COUNTRIES = {
    name.casefold(): code
    for code, names in (line.split(":", 1) for line in _COUNTRIES.strip().split("\n"))
    for name in names.split("|")
}
CODES = frozenset(COUNTRIES.values())
STATES = dict(state.split(" ", 1) for state in _listed(_STATES))
STATE_NAMES = {name.casefold(): code for code, name in STATES.items()}
REGIONS = frozenset(name.casefold() for name in _listed(_REGIONS))
CITIES = frozenset(name.casefold() for name in _listed(_CITIES))


@cache
def list_towns() -> frozenset[str]:
    """Give the names of all cities with at least 50,000 people (GeoNames, see NOTICE); many are words of other meaning."""
    data = files("dibs.services.resumes.understanding") / "data" / "cities.txt"
    return frozenset(data.read_text(encoding="utf-8").casefold().splitlines())
