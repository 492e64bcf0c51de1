"""Answers of boards, in the form that each has; the employers are invented."""

from typing import Any

GREENHOUSE: dict[str, Any] = {
    "jobs": [
        {
            "id": 4400123,
            "internal_job_id": 9911,
            "title": "Staff Engineer &amp; Lead",
            "company_name": "Heron Freight",
            "absolute_url": "https://boards.greenhouse.io/heron/jobs/4400123",
            "location": {"name": "Berlin, Germany; London, UK"},
            "offices": [{"id": 1, "name": "Berlin", "location": "Berlin, Germany", "parent_id": None, "child_ids": []}],
            "departments": [{"id": 2, "name": "Platform", "parent_id": None, "child_ids": []}],
            "metadata": [
                {"id": 5, "name": "Location Type", "value": "Hybrid", "value_type": "single_select"},
                {"id": 6, "name": "Employment Type", "value": "Full-time", "value_type": "single_select"},
            ],
            "requisition_id": "R-17",
            "first_published": "2026-05-01T09:00:00-04:00",
            "updated_at": "2026-05-03T10:30:00-04:00",
            "application_deadline": None,
            "language": "en",
            "content": "&lt;p&gt;Build &amp;amp; run things.&lt;/p&gt;&lt;ul&gt;&lt;li&gt;Ship&lt;/li&gt;&lt;/ul&gt;",
            "data_compliance": [{"type": "gdpr", "requires_consent": False, "retention_period": None}],
        },
        {"id": 4400124, "title": "Driver", "location": {"name": "Remote - US"}, "metadata": None, "content": ""},
    ],
    "meta": {"total": 2},
}
GREENHOUSE_DETAIL: dict[str, Any] = {
    **GREENHOUSE["jobs"][0],
    "pay_input_ranges": [
        {"min_cents": 9000000, "max_cents": 11000000, "currency_type": "EUR", "title": "Annual salary", "blurb": ""},
        {"min_cents": 9500000, "max_cents": 12000000, "currency_type": "EUR", "title": "London", "blurb": ""},
    ],
    "questions": [
        {
            "label": "Are you authorized to work in Germany?",
            "required": True,
            "fields": [
                {
                    "name": "question_1",
                    "type": "multi_value_single_select",
                    "values": [{"label": "Yes", "value": 1}, {"label": "No", "value": 0}],
                }
            ],
        }
    ],
    "demographic_questions": {"questions": [{"id": 77, "label": "Gender", "required": False, "answer_options": []}]},
    "compliance": [{"type": "eeoc", "questions": [{"label": "Veteran status", "required": False, "fields": []}]}],
}
LEVER: list[dict[str, Any]] = [
    {
        "id": "5ac21346-8e0c-4494-8e7a-3eb92ff77902",
        "text": "Account Executive",
        "categories": {
            "location": "Toronto",
            "allLocations": ["Toronto", "Vancouver"],
            "commitment": "Full-time",
            "team": "Sales",
            "department": "Revenue",
        },
        "country": "CA",
        "workplaceType": "on-site",
        "description": "<div>Sell honest goods.</div>",
        "lists": [{"text": "You bring", "content": "<li>patience</li><li>a phone</li>"}],
        "additional": "<p>Write to us.</p>",
        "hostedUrl": "https://jobs.lever.co/plover/5ac21346",
        "applyUrl": "https://jobs.lever.co/plover/5ac21346/apply",
        "createdAt": 1777626000000,
        "salaryRange": {"currency": "CAD", "interval": "per-year-salary", "min": 70000, "max": 90000},
    }
]
ASHBY: dict[str, Any] = {
    "apiVersion": "1",
    "jobs": [
        {
            "id": "145ff46b-1441-4773-bcd3-c8c90baa598a",
            "title": "Product Designer",
            "department": "Design",
            "team": "Core",
            "employmentType": "FullTime",
            "location": "New York",
            "secondaryLocations": [{"location": "San Francisco", "address": {"addressLocality": "San Francisco"}}],
            "isRemote": True,
            "workplaceType": "Hybrid",
            "address": {
                "postalAddress": {"addressLocality": "New York", "addressRegion": "NY", "addressCountry": "USA"}
            },
            "publishedAt": "2026-04-28T14:00:00.000+00:00",
            "isListed": True,
            "jobUrl": "https://jobs.ashbyhq.com/finch/145ff46b",
            "applyUrl": "https://jobs.ashbyhq.com/finch/145ff46b/application",
            "descriptionHtml": "<p>Draw.</p>",
            "descriptionPlain": "Draw.",
            "compensation": {
                "compensationTierSummary": "$150K – $180K • 0.1% – 0.2%",
                "compensationTiers": [],
                "summaryComponents": [
                    {"compensationType": "EquityPercentage", "interval": "NONE", "minValue": None, "maxValue": None},
                    {
                        "compensationType": "Salary",
                        "interval": "1 YEAR",
                        "currencyCode": "USD",
                        "minValue": 150000,
                        "maxValue": 180000,
                    },
                ],
            },
        },
        {"id": "hidden", "title": "Secret", "isListed": False},
    ],
}
WORKABLE: dict[str, Any] = {
    "name": "Osprey Labs",
    "description": None,
    "jobs": [
        {
            "title": "Chemist",
            "shortcode": "A1B2C3",
            "code": "CH-1",
            "employment_type": "Part-time",
            "telecommuting": False,
            "department": "Research",
            "url": "https://apply.workable.com/j/A1B2C3",
            "shortlink": "https://apply.workable.com/j/A1B2C3",
            "application_url": "https://apply.workable.com/j/A1B2C3/apply",
            "published_on": "2026-05-04",
            "created_at": "2026-05-01",
            "country": "Greece",
            "city": city,
            "state": "",
            "locations": [],
            "description": "<p>Salary: €1.500 - €1.800 per month</p>",
        }
        for city in ("Athens", "Patras", "Athens")
    ],
}
SMARTRECRUITERS: dict[str, Any] = {
    "offset": 0,
    "limit": 100,
    "totalFound": 1,
    "content": [
        {
            "id": "743999912345678",
            "uuid": "b1f0",
            "name": "Nurse",
            "refNumber": "REF42",
            "company": {"identifier": "Wren", "name": "Wren Hospitals"},
            "location": {
                "city": "Lyon",
                "region": "ARA",
                "country": "fr",
                "remote": False,
                "fullLocation": "Lyon, France",
            },
            "department": {"id": "1", "label": "Care"},
            "typeOfEmployment": {"id": "permanent", "label": "Full-time"},
            "releasedDate": "2026-05-02T08:00:00.000Z",
            "ref": "https://api.smartrecruiters.com/v1/companies/Wren/postings/743999912345678",
            "language": {"code": "fr"},
        }
    ],
}
SMARTRECRUITERS_DETAIL: dict[str, Any] = {
    **SMARTRECRUITERS["content"][0],
    "applyUrl": "https://jobs.smartrecruiters.com/Wren/743999912345678",
    "active": True,
    "jobAd": {
        "sections": {
            "companyDescription": {"title": "Qui sommes-nous", "text": "<p>Un hôpital.</p>"},
            "jobDescription": {
                "title": "Le poste",
                "text": "<p>Salaire : 32&nbsp;000 € à 38&nbsp;000 € brut annuel</p>",
            },
            "qualifications": {"title": "", "text": ""},
            "additionalInformation": None,
        }
    },
}
RECRUITEE: dict[str, Any] = {
    "offers": [
        {
            "id": 88123,
            "guid": "x9",
            "slug": "kok",
            "title": "Kok",
            "status": "published",
            "company_name": "Ibis Bistro",
            "department": "Keuken",
            "employment_type_code": "parttime_permanent",
            "remote": False,
            "hybrid": False,
            "on_site": True,
            "location": "Utrecht, Nederland",
            "city": "Utrecht",
            "country_code": "NL",
            "locations": [{"id": 1, "name": "Bistro", "city": "Utrecht", "state": None, "country": "Nederland"}],
            "salary": {"min": "2400", "max": "2900.50", "period": "month", "currency": "EUR"},
            "open_questions": [{"id": 5, "kind": "boolean", "required": True, "body": "Heb je een rijbewijs?"}],
            "options_cv": "required",
            "options_phone": "off",
            "description": "<p>Koken.</p>",
            "requirements": "<ul><li>Plezier</li></ul>",
            "careers_url": "https://ibis.recruitee.com/o/kok",
            "careers_apply_url": "https://ibis.recruitee.com/o/kok/c/new",
            "created_at": "2026-04-20 10:00:00 UTC",
            "published_at": "2026-04-21 09:30:00 UTC",
            "updated_at": "2026-04-22 09:30:00 UTC",
            "close_at": None,
        }
    ]
}
PERSONIO = """<?xml version="1.0" encoding="UTF-8"?>
<workzag-jobs>
  <position>
    <id>31415</id>
    <subcompany>Kranich GmbH</subcompany>
    <office>München</office>
    <additionalOffices><office>Wien</office></additionalOffices>
    <department>Technik</department>
    <recruitingCategory>Intern</recruitingCategory>
    <name>Schlosser (m/w/d)</name>
    <jobDescriptions>
      <jobDescription>
        <name>Deine Aufgaben</name>
        <value><![CDATA[<ul><li>Schrauben &amp; Schweißen</li></ul>]]></value>
      </jobDescription>
      <jobDescription>
        <name>Gehalt</name><value><![CDATA[<p>3.200 bis 3.800 € brutto im Monat</p>]]></value>
      </jobDescription>
    </jobDescriptions>
    <employmentType>permanent</employmentType>
    <seniority>experienced</seniority>
    <schedule>full-time</schedule>
    <createdAt>2026-03-01T10:00:00+01:00</createdAt>
  </position>
  <position><id>31415</id><office>Graz</office><name>Schlosser (m/w/d)</name></position>
</workzag-jobs>
""".encode()
WORKDAY: dict[str, Any] = {
    "total": 2,
    "jobPostings": [
        {
            "title": "Analyst",
            "externalPath": "/job/Zurich/Analyst_R-0042-1",
            "locationsText": "Zurich",
            "postedOn": "Posted 8 Days Ago",
            "bulletFields": ["R-0042"],
        },
        {
            "title": "Clerk",
            "externalPath": "/job/Bern/Clerk_R-0043",
            "locationsText": "3 Locations",
            "postedOn": "Posted 30+ Days Ago",
            "bulletFields": [],
        },
    ],
    "facets": [{"facetParameter": "jobFamily", "values": [{"id": "a", "descriptor": "A", "count": 2}]}],
}
WORKDAY_DETAIL: dict[str, Any] = {
    "jobPostingInfo": {
        "id": "abc",
        "title": "Analyst",
        "jobDescription": "<p>Lohn: CHF 95'000 – 110'000</p>",
        "location": "Zurich",
        "additionalLocations": ["Geneva"],
        "postedOn": "Posted 8 Days Ago",
        "startDate": "2026-05-07",
        "timeType": "Full time",
        "jobReqId": "R-0042",
        "canApply": True,
        "posted": True,
        "externalUrl": "https://stork.wd3.myworkdayjobs.com/Ext/job/Zurich/Analyst_R-0042-1",
    },
    "hiringOrganization": {"name": "Stork Bank"},
    "similarJobs": [],
}
