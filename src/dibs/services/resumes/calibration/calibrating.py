"""Give every field of a profile the probability that it is right."""

import math
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import json, structs

from dibs.services.resumes.calibration.features import Vector, make_features
from dibs.services.resumes.calibration.kinds import find_kind
from dibs.services.resumes.document import Document
from dibs.services.resumes.profile import Field, Part, Profile

MOST = 0.995
"""Nothing is certain: the truth of some fields is not on the page."""


def calibrate_profile(profile: Profile, document: Document) -> Profile:
    """The same profile with probabilities for scores. A kind that nothing was learnt about keeps its score."""
    weights = load_weights()
    chances = [
        field.confidence if kind not in weights else predict(weights[kind], vector)
        for kind, field, vector in (
            (find_kind(path), field, vector) for path, field, vector in make_features(profile, document)
        )
    ]
    calibrated: Profile = _replace(profile, iter(chances))
    return calibrated


def predict(weights: Vector, vector: Vector) -> float:
    total = sum(weight * value for weight, value in zip(weights, vector, strict=True))
    return min(MOST, 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))))


@cache
def load_weights() -> dict[str, Vector]:
    return json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=dict[str, tuple[float, ...]])


def _replace(value: Any, chances: Iterator[float]) -> Any:
    """Walk in the order of `Profile.fields`, and give each field the next chance."""
    rebuild: dict[type, Callable[[Any], Any]] = {
        Field: lambda field: structs.replace(field, confidence=next(chances)),
        tuple: lambda parts: tuple(_replace(part, chances) for part in parts),
    }
    if type(value) in rebuild:
        return rebuild[type(value)](value)
    if isinstance(value, Part):
        changed = {name: _replace(getattr(value, name), chances) for name in value.__struct_fields__}
        return structs.replace(value, **changed)
    return value
