"""Words that stand at the heart of job titles, in four languages, and the families that titles belong to."""

import re

_HEADS = """
engineer developer programmer architect analyst scientist manager director designer consultant administrator specialist
coordinator assistant associate intern trainee technician officer executive president vp svp evp ceo cto cfo coo cmo cio cpo ciso chro chief
lead leader head supervisor representative agent advisor adviser planner strategist researcher lecturer professor teacher
tutor instructor coach trainer nurse physician doctor surgeon dentist pharmacist therapist psychologist paramedic midwife
lawyer attorney paralegal solicitor barrister counsel judge notary accountant auditor bookkeeper controller treasurer banker trader
broker underwriter actuary economist statistician mathematician physicist chemist biologist geologist
writer editor copywriter journalist reporter author translator interpreter photographer videographer filmmaker artist
illustrator animator musician actor producer curator librarian archivist chef cook baker barista bartender waiter waitress
server host hostess cashier clerk receptionist secretary operator mechanic electrician plumber carpenter welder machinist driver
pilot courier dispatcher buyer purchaser merchandiser seller salesperson salesman saleswoman marketer recruiter founder
cofounder co-founder owner partner entrepreneur freelancer contractor volunteer mentor tester administrator sysadmin devops sre dba
webmaster moderator evangelist advocate ambassador organizer organiser facilitator inspector investigator detective
firefighter soldier sergeant lieutenant captain major colonel guard warden caretaker gardener cleaner housekeeper janitor
stylist hairdresser tailor model dancer choreographer composer conductor fellow postdoc apprentice student undergraduate
graduate scholar demonstrator proctor grader invigilator surveyor estimator foreman builder planner fundraiser lobbyist
diplomat politician mayor secretary treasurer chair chairman chairwoman chairperson member trustee board
internship externship residency fellowship apprenticeship assistantship consultancy
optometrist veterinarian hygienist radiographer sonographer dietitian nutritionist caregiver carer nanny
buyer negotiator liaison generalist practitioner expert professional
engineering-manager qa tech techlead scrummaster master steward attendant worker handler picker packer assembler stocker keeper
ingenieur ingenieurin entwickler entwicklerin softwareentwickler softwareentwicklerin architekt architektin analyst analystin
berater beraterin leiter leiterin teamleiter teamleiterin projektleiter projektleiterin abteilungsleiter geschäftsführer geschäftsführerin assistent assistentin
sachbearbeiter sachbearbeiterin referent referentin mitarbeiter mitarbeiterin praktikant praktikantin praktikum werkstudent werkstudentin
kaufmann kauffrau bürokaufmann bürokauffrau industriekaufmann techniker technikerin mechaniker mechanikerin elektriker mechatroniker
lehrer lehrerin dozent dozentin professorin arzt ärztin krankenpfleger krankenschwester pfleger pflegerin pflegefachkraft apotheker apothekerin
anwalt anwältin rechtsanwalt rechtsanwältin jurist juristin buchhalter buchhalterin steuerberater wirtschaftsprüfer
redakteur redakteurin journalistin texter grafiker designerin gestalter gestalterin fotograf verkäufer verkäuferin vertriebsmitarbeiter
fahrer koch köchin kellner auszubildender auszubildende azubi volontär volontärin trainerin managerin beauftragter beauftragte
wissenschaftler wissenschaftlerin forscher forscherin doktorand doktorandin hilfskraft tutorin verwalter administratorin koordinator koordinatorin
vorstand inhaber inhaberin gründer gründerin selbstständig freiberufler freiberuflich leitung disponent disponentin einkäufer einkäuferin erzieher erzieherin sozialarbeiter
sozialpädagoge bauleiter meister geselle facharbeiter bereichsleiter filialleiter chemiker physiker informatiker fachinformatiker programmierer
ingénieur ingénieure développeur développeuse architecte analyste chef cheffe responsable directeur directrice consultant consultante
conseiller conseillère assistant assistante chargé chargée technicien technicienne stagiaire stage alternant alternante apprenti apprentie
gestionnaire comptable auditeur auditrice contrôleur contrôleuse enseignant enseignante professeur professeure formateur formatrice infirmier infirmière
médecin pharmacien pharmacienne avocat avocate juriste notaire rédacteur rédactrice journaliste traducteur traductrice graphiste designeur
vendeur vendeuse commercial commerciale acheteur acheteuse chercheur chercheuse doctorant doctorante cadre employé employée agent opérateur opératrice
ouvrier ouvrière mécanicien électricien cuisinier cuisinière serveur serveuse hôte hôtesse secrétaire animateur animatrice éducateur éducatrice
fondateur fondatrice gérant gérante président présidente coordinateur coordinatrice coordonnateur bénévole administrateur administratrice concepteur conceptrice
ingeniero ingeniera desarrollador desarrolladora programador programadora arquitecto arquitecta analista jefe jefa director directora
consultor consultora asesor asesora asistente ayudante auxiliar técnico técnica becario becaria practicante prácticas gerente encargado encargada
contable contador contadora auditor auditora profesor profesora maestro maestra docente formador formadora enfermero enfermera médico médica
farmacéutico farmacéutica abogado abogada redactor redactora periodista traductor traductora diseñador diseñadora vendedor vendedora comercial
comprador compradora investigador investigadora doctorando operario operaria mecánico electricista cocinero cocinera camarero camarera
recepcionista secretario secretaria administrativo administrativa coordinador coordinadora supervisor supervisora fundador fundadora socio socia
presidente presidenta voluntario voluntaria gestor gestora especialista científico científica tutor tutora responsable dependiente dependienta
"""

HEADS = frozenset(_HEADS.split())
# German writes titles in one word: Vertriebsleiter, Bauingenieurin.
SUFFIXES = (
    "leiter", "leiterin", "ingenieur", "ingenieurin", "entwickler", "entwicklerin", "berater", "beraterin", "assistent",
    "assistentin", "kaufmann", "kauffrau", "techniker", "technikerin", "mitarbeiter", "mitarbeiterin", "manager", "managerin",
    "referent", "referentin", "fachkraft", "pfleger", "pflegerin", "lehrer", "lehrerin", "verkäufer", "verkäuferin", "händler",
    "forscher", "forscherin", "analyst", "analystin", "meister", "meisterin", "helfer", "helferin", "führer", "führerin", "wissenschaftler",
    "wissenschaftlerin", "mechaniker", "mechanikerin", "redakteur", "redakteurin", "student", "studentin", "praktikum", "bearbeiter", "bearbeiterin",
)  # fmt: skip

_FAMILIES = (
    ("data", r"data|daten|donn[ée]es|datos|machine learning|\bml\b|\bai\b|analytics|statisti|\bbi\b|business intelligence"),
    ("design", r"design|diseñ|gestalt|\bux\b|\bui\b|graphi|grafik|illustrat|creative|artist"),
    ("product", r"product (?:manager|owner|lead)|produktmanag|chef de produit|product"),
    ("engineering", r"engineer|develop|entwickl|développ|desarroll|program|software|devops|\bsre\b|architect|ingenieur|ingénieur|ingenier|technician|sysadmin|\bqa\b|tester|informati"),
    ("sales", r"sales|vertrieb|verkauf|verkäuf|vente|vendeu|commercial|venta|vendedor|account (?:executive|manager)|business development"),
    ("marketing", r"market|seo|content|social media|brand|communicat|kommunikation|public relations|\bpr\b"),
    ("finance", r"financ|account|audit|buchhalt|comptab|contab|contador|controll|treasur|bank|tax|steuer|invest"),
    ("people", r"human resources|\bhr\b|recruit|talent|people|personal(?:wesen|referent|leiter)|ressources humaines|recursos humanos"),
    ("legal", r"legal|lawyer|attorney|counsel|anwalt|jurist|juriste|avocat|abogad|paralegal|compliance"),
    ("health", r"nurse|physician|doctor\b|surgeon|pharmac|therap|medical|clinical|kranken|pfleg|arzt|ärztin|infirmi|médecin|enfermer|médic"),
    ("education", r"teach|lectur|professor|tutor|lehrer|dozent|enseignant|professeur|profesor|maestr|docente|instructor|trainer"),
    ("research", r"research|scientist|forsch|wissenschaft|chercheu|investigador|postdoc|phd|doktorand|doctorant"),
    ("operations", r"operations|logist|supply|procure|einkauf|lager|warehouse|production|produktion|achat|compras"),
    ("project", r"project|projekt|projet|proyecto|program(?:me)? manager|scrum|delivery"),
    ("support", r"support|customer|kunden|service desk|help ?desk|client|success"),
    ("administration", r"assistant|assistent|secretar|sekret|office|admin|reception|clerk|sachbearbeit|auxiliar"),
    ("management", r"manager|director|chief|ceo|head|founder|president|leiter|directeur|gerente|geschäftsführ"),
    ("hospitality", r"chef|cook|koch|kellner|waiter|waitress|barista|bartend|hotel|serveu|camarer|cociner"),
    ("trades", r"electric|mechanic|mechanik|plumb|carpent|weld|driver|fahrer|operator|techniker|técnico"),
)  # fmt: skip
FAMILIES = tuple((name, re.compile(pattern)) for name, pattern in _FAMILIES)
