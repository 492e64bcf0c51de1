"""Counts of many verdicts: precision, recall and F1 of each field, and their mean."""

from collections.abc import Iterable

from msgspec import Struct

from evals.resumes.scoring.judging import Verdict

MACRO_FIELDS = (
    "name",
    "email",
    "phone",
    "location",
    "link",
    "skill",
    "organisation",
    "title",
    "date",
    "degree",
    "institution",
)
"""What the macro F1 is the mean of; the others are shown beside it."""
OTHER_FIELDS = ("area", "label", "place", "language", "certificate", "project")
TARGETS = {
    "name": 0.95,
    "email": 0.99,
    "phone": 0.97,
    "skill": 0.88,
    "organisation": 0.92,
    "title": 0.85,
    "date": 0.90,
    "degree": 0.89,
}


class Count(Struct):
    right: int = 0
    given: int = 0
    true: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.given + self.true) if self.given + self.true else 1.0


class Tally:
    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.counts: dict[str, Count] = {}
        self.documents = 0
        for verdict in verdicts:
            self.add(verdict)

    def add(self, verdict: Verdict) -> None:
        self.documents += 1
        for one in verdict.given:
            count = self.of(one.field)
            count.given += 1
            count.right += one.correct
            count.true += one.correct
        for missed in verdict.missed:
            self.of(missed.field).true += 1

    def of(self, field: str) -> Count:
        return self.counts.setdefault(field, Count())

    @property
    def macro_f1(self) -> float:
        return sum(self.of(field).f1 for field in MACRO_FIELDS) / len(MACRO_FIELDS)
