"""Learn what scores are worth: fit on development layouts and on foreign ones, check on those kept aside.

python -m evals.resumes.training [--people 10] [--scans 3] [--out build/resumes]
"""

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from msgspec import Struct, json
from numpy.typing import NDArray
from scipy.optimize import minimize

from dibs.services.resumes.calibration import calibrating
from dibs.services.resumes.calibration.features import NAMES, make_features
from dibs.services.resumes.calibration.kinds import find_kind
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding.understand import understand_raw
from evals.resumes.cases import Case
from evals.resumes.foreign import build_foreign
from evals.resumes.library import build, make_orders
from evals.resumes.running import TODAY, spread
from evals.resumes.scoring.judging import judge_profile
from evals.resumes.templates import TEMPLATES

WEIGHTS = Path(calibrating.__file__).with_name("weights.json")
PENALTY = 1.0
PRIOR_MISTAKES = 4.0
"""Made-up mistakes a kind: a kind that was never wrong on a few layouts may be on the next."""
FORMATS = {"pdf", "docx", "html", "scan"}
Matrix = NDArray[np.float64]


class Example(Struct, frozen=True):
    group: str
    template: str
    kind: str
    vector: tuple[float, ...]
    correct: bool


def main() -> int:
    wanted = read_arguments()
    examples = collect(gather(wanted), processes=wanted.processes)
    seen = [one for one in examples if not one.group.endswith("aside")]
    weights = {kind: fit(ours) for kind, ours in sorted(by_kind(seen).items())}
    WEIGHTS.write_bytes(json.format(json.encode(weights), indent=1) + b"\n")
    for group in ("development", "foreign", "aside", "foreign_aside"):
        print_check(group, [one for one in examples if one.group == group], weights)
    print(f"{len(seen)} fields learnt from; weights in {WEIGHTS}")
    return 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.resumes.training")
    parser.add_argument("--people", type=int, default=10, help="people a template")
    parser.add_argument("--scans", type=int, default=3, help="people a template that are scanned, too")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/resumes"))
    return parser.parse_args()


def gather(wanted: argparse.Namespace) -> list[Case]:
    cases = build(make_orders(TEMPLATES, wanted.people, formats=FORMATS, scans=wanted.scans), wanted.out / "set")
    scans = min(1, wanted.scans)
    return cases + build_foreign(wanted.people, FORMATS, folder=wanted.out / "foreign", scans=scans)


def collect(cases: list[Case], *, processes: int) -> list[Example]:
    with ProcessPoolExecutor(processes) as pool:
        return [one for found in pool.map(collect_case, spread(cases), chunksize=8) for one in found]


def collect_case(case: Case) -> list[Example]:
    """The fields of one document: what is known about each, and whether it is right."""
    file = Path(case.file)
    document = read_document(file.read_bytes(), name=file.name)
    profile = understand_raw(document, today=TODAY)
    vectors = {path: vector for path, _, vector in make_features(profile, document)}
    verdict = judge_profile(profile.to_json(), case.truth, lenient_dates=case.lenient_dates)
    named = ((find_kind(one.path), one) for one in verdict.given)
    return [Example(case.group, case.template, kind, vectors[one.path], one.correct) for kind, one in named if kind]


def by_kind(examples: list[Example]) -> dict[str, list[Example]]:
    sorted_out: dict[str, list[Example]] = defaultdict(list)
    for one in examples:
        sorted_out[one.kind].append(one)
    return sorted_out


def fit(examples: list[Example]) -> list[float]:
    """Logistic regression with a penalty on all weights but the constant."""
    inputs = np.array([one.vector for one in examples])
    right = np.array([one.correct for one in examples], dtype=float)
    typical = inputs.mean(axis=0, keepdims=True)
    inputs, right = np.vstack([inputs, typical]), np.append(right, 0.0)
    counts = np.append(np.ones(len(examples)), PRIOR_MISTAKES)
    penalty = np.full(len(NAMES), PENALTY)
    penalty[0] = 0.0

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        scores = inputs @ weights
        chances = 1 / (1 + np.exp(-scores))
        value = np.sum(counts * (np.logaddexp(0, scores) - right * scores)) + 0.5 * np.sum(penalty * weights**2)
        return float(value), inputs.T @ (counts * (chances - right)) + penalty * weights

    # A surer rule is never worth less, whatever a few layouts seem to say.
    bounds = [(0.0, None) if name in {"score", "sure"} else (None, None) for name in NAMES]
    found = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", bounds=bounds)
    return [round(float(weight), 4) for weight in found.x]


def print_check(group: str, examples: list[Example], weights: dict[str, list[float]]) -> None:
    print(f"{group}: {len(examples)} fields")
    rows = [("all", examples), *sorted(by_kind(examples).items())]
    for kind, ours in rows:
        chances = np.array(
            [calibrating.predict(tuple(weights[one.kind]), one.vector) for one in ours if one.kind in weights]
        )
        right = np.array([one.correct for one in ours if one.kind in weights])
        sure = chances >= 0.9
        share = right[sure].mean() if sure.any() else 1.0
        print(
            f"  {kind:14s} right {right.mean():.3f}, said {chances.mean():.3f}; "
            f">= 0.9: {share:.3f} right of {sure.sum()} ({sure.mean():.0%})"
        )


if __name__ == "__main__":
    sys.exit(main())
