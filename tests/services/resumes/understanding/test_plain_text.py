"""Plain text: nothing but words and empty lines tells what is a heading and what is a name."""

from datetime import date

import pytest

from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.language import find_document_language

ROUTED = {
    "en": ("Experience", "Software Engineer, Northwind Ltd", "January 2019 - present", "Built services for the team",
           "Education", "University of Leeds", "Bachelor in Mathematics", "Skills"),
    "de": ("Berufserfahrung", "Softwareentwicklerin, Nordwind GmbH", "Januar 2019 - heute",
           "Entwicklung von Diensten für die Kunden", "Ausbildung", "Universität Leipzig", "Bachelor Informatik",
           "Kenntnisse"),
    "fr": ("Expérience", "Ingénieure logiciel, Nordvent SARL", "janvier 2019 - aujourd'hui",
           "Développement de services pour les clients", "Formation", "Université de Lyon", "Licence d'informatique",
           "Compétences"),
    "es": ("Experiencia", "Ingeniera de software, Viento Norte SL", "enero de 2019 - actualidad",
           "Desarrollo de servicios para los clientes", "Formación", "Universidad de Sevilla", "Grado en Informática",
           "Habilidades"),
}  # fmt: skip
OTHERS = {
    "it": ("Esperienza lavorativa", "Sviluppatrice, Vento del Nord Srl", "2019 - oggi",
           "Sviluppo di servizi per i clienti della società", "Istruzione", "Università di Milano", "Informatica",
           "Competenze"),
    "pt": ("Experiência profissional", "Engenheira, Vento Norte Lda", "2019 - presente",
           "Desenvolvimento de serviços para os clientes da empresa", "Formação académica", "Universidade de Lisboa",
           "Informática", "Competências"),
    "nl": ("Werkervaring", "Ontwikkelaar, Noordenwind BV", "2019 - heden",
           "Ontwikkeling van diensten voor de klanten van het bedrijf", "Opleiding", "Universiteit Utrecht",
           "Informatica", "Vaardigheden"),
    "pl": ("Doświadczenie zawodowe", "Programistka, Wiatr Sp. z o.o.", "2019 - obecnie",
           "Tworzenie usług dla klientów firmy oraz praca z zespołem", "Wykształcenie", "Uniwersytet Warszawski",
           "Informatyka", "Umiejętności"),
    "cs": ("Pracovní zkušenosti", "Vývojářka, Severní vítr s.r.o.", "2019 - současnost",
           "Vývoj služeb pro zákazníky firmy a spolupráce s týmem", "Vzdělání", "Univerzita Karlova", "Informatika",
           "Dovednosti"),
    "tr": ("İş Deneyimi", "Yazılım Mühendisi, Kuzey A.Ş.", "2019 - günümüz",
           "Şirketin müşterileri için bir ekip ile hizmetler geliştirdi", "Eğitim", "İstanbul Üniversitesi", "Lisans",
           "Beceriler"),
    "ru": ("Опыт работы", "Программист, ООО Ветер", "2019 - настоящее время", "Разработка сервисов для клиентов",
           "Образование", "Московский университет", "Информатика", "Навыки"),
    "ja": ("職歴", "ソフトウェアエンジニア、北風株式会社", "2019 - 現在", "お客様のためのサービスの開発",
           "学歴", "東京大学", "情報工学学士", "スキル"),
    "zh": ("工作经历", "软件工程师，北风有限公司", "2019 - 至今", "为客户开发服务", "教育背景",
           "北京大学", "计算机科学学士", "技能"),
    "ko": ("경력", "소프트웨어 엔지니어, 북풍 주식회사", "2019 - 현재", "고객을 위한 서비스 개발", "학력", "서울대학교",
           "컴퓨터공학 학사", "기술"),
    "ar": ("الخبرة العملية", "مهندسة برمجيات، شركة ريح الشمال", "2019 - الآن", "تطوير الخدمات لعملاء الشركة", "التعليم",
           "جامعة دبي", "علوم الحاسوب", "المهارات"),
}  # fmt: skip


def write(words, *, name="Anna Lindqvist", gap="\n\n"):
    work, job, years, task, school, university, degree, skills = words
    parts = [
        f"{name}\ncontact@mail.example | +44 20 7946 0958",
        f"{work}\n{job}\n{years}\n- {task}",
        f"{school}\n{university}\n{degree}\n2012 - 2015",
        f"{skills}\nPython, SQL, Docker",
    ]
    return gap.join(parts)


def parse(text: str):
    return understand(read_document(text.encode()), today=date(2026, 11, 15))


def headings_in(profile) -> list[str]:
    return [section.title for section in profile.meta.sections if section.title]


@pytest.mark.parametrize("gap", ["\n\n", "\n"], ids=["with empty lines", "without"])
@pytest.mark.parametrize("code", ROUTED)
def test_a_text_in_a_language_that_is_handled_has_its_sections(code, gap):
    profile = parse(write(ROUTED[code], gap=gap))
    assert (profile.meta.language, profile.meta.flags) == (code, ())
    assert [skill.name.value for skill in profile.skills] == ["Python", "SQL", "Docker"]
    assert [(study.institution.value, study.area.value) for study in profile.education] == [
        (ROUTED[code][5], {"en": "Mathematics", "fr": "informatique", "es": "Informática"}.get(code, "Informatik"))
    ]
    assert [(job.start_date.value, job.name.value) for job in profile.work] == [
        ("2019-01", ROUTED[code][1].partition(", ")[2])
    ]


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_in_another_language_is_flagged_and_its_headings_are_nobodys_employer(code):
    words = OTHERS[code]
    profile = parse(write(words))
    assert profile.meta.language == code
    assert "language_not_handled" in [flag.code for flag in profile.meta.flags]
    assert headings_in(profile) == [words[0], words[4], words[7]]
    said = [field.value for part in (*profile.work, *profile.education) for field in _fields(part)]
    assert not {words[0], words[4], words[7]} & set(said)
    assert [study.start_date.value for study in profile.education] == ["2012"]
    assert [skill.name.value for skill in profile.skills] == ["Python", "SQL", "Docker"]


def _fields(part):
    return [field for name in part.__struct_fields__ if hasattr(field := getattr(part, name), "confidence")]


@pytest.mark.parametrize("name", ["Chidi Okafor", "Nguyễn Văn An", "ANNA LINDQVIST", "山田 花子", "Анна Иванова"])
def test_the_first_line_of_a_text_is_the_name_also_where_no_address_says_so(name):
    found = parse(write(ROUTED["en"], name=name)).basics.name
    assert found is not None
    assert found.value.casefold() == name.casefold()


@pytest.mark.parametrize("first", ["Software Engineer", "Northwind Ltd", "Curriculum Vitae", "London"])
def test_a_first_line_that_is_no_name_is_not_taken_for_one(first):
    assert parse(write(ROUTED["en"], name=first)).basics.name is None


def test_a_chinese_name_in_an_english_text_does_not_change_its_language():
    assert (
        find_document_language("Wang Xiaoming 王小明 led the work of a team in Leeds for the university and with us")
        == "en"
    )


@pytest.mark.parametrize(
    "skills",
    ["Python, k8s, k3s, SQL", "R, C, S, Excel", "Mei S. Zhang, V. K. Rao", "Silver Sp. z o.o., Kestrel s.r.o."],
    ids=["names with figures", "names of one letter", "initials", "legal forms"],
)
def test_single_letters_make_no_english_text_a_foreign_one(skills):
    text = "Jane Roe\njane@mail.example | Berlin\n\nExperience\nSenior Engineer, Northwind Ltd\nMarch 2019 - present\n"
    profile = parse(f"{text}\nEducation\nBSc Computer Science, Leeds College\n2012 - 2015\n\nSkills\n{skills}\n")
    assert profile.meta.language == "en"
    assert profile.meta.flags == ()


@pytest.mark.parametrize("text", ["M.S. Statistics, S. Zhang, K. Rao, V. Novak: R, C, S, Excel, pandas, Snowflake"])
def test_what_no_sentence_shows_to_be_in_a_language_is_in_none(text):
    assert find_document_language(text) is None


AT = {
    "a short sentence": ("Analyst at X, June 2020 to present", "Analysed sales data.", "X"),
    "words of a trade": ("Analyst at eBay, June 2020 to present", "Data analytics", "eBay"),
    "what is done": ("June 2020 to present: Analyst at Acme", "Digital reporting", "Acme"),
    "dates in brackets": ("Analyst at Acme (June 2020 - present)", "Led a team.", "Acme"),
    "a ministry": ("Analyst at the Ministry of Justice, June 2020 to present", "Budgets", "Ministry of Justice"),
    "a whole sentence": ("Worked as Analyst at Acme from June 2020 to May 2022.", "Digital services", "Acme"),
    "no word before the employer": ("Analyst, Acme, June 2020 to present", "Digital reporting", "Acme"),
}


@pytest.mark.parametrize("case", AT)
def test_a_sentence_under_the_line_of_a_job_is_not_its_employer(case):
    line, told, employer = AT[case]
    (job,) = parse(f"Jane Doe\njane.doe@mail.example\n\nEXPERIENCE\n\n{line}\n{told}\n").work
    assert (job.position.value, job.name.value, job.start_date.value) == ("Analyst", employer, "2020-06")


def test_a_sentence_under_the_line_of_a_job_is_told_of_it():
    (job,) = parse("Jane Doe\nj@mail.example\n\nWORK\n\nClerk at Acme, London, 2020 to 2022\nAudit of EU funds\n").work
    assert (job.name.value, job.location.value, job.summary.value) == ("Acme", "London", "Audit of EU funds")


SCHOOLED = "Jane Doe\nj@mail.example\n\nEducation\n\nUniversity of Leeds\nBSc Economics\n2014 - 2017\n{}\n"


@pytest.mark.parametrize("mark", ["", "- "])
def test_a_list_with_its_name_before_it_among_schools_is_no_part_of_them(mark):
    listed = (
        f"{mark}Skills: Excel, SQL,\nPython\n{mark}Languages: English, French\n\nLeeds College\nA-Levels\n2012 - 2014"
    )
    profile = parse(SCHOOLED.format(listed))
    assert [skill.name.value for skill in profile.skills] == ["Excel", "SQL", "Python"]
    assert [speech.language.value for speech in profile.languages] == ["English", "French"]
    assert [study.institution.value for study in profile.education] == ["University of Leeds", "Leeds College"]
    assert not any(study.courses for study in profile.education)


def test_courses_among_schools_are_courses():
    (study,) = parse(SCHOOLED.format("Courses: Statistics, Game theory")).education
    assert [course.value for course in study.courses] == ["Statistics", "Game theory"]
