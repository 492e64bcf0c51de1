"""From scores to probabilities: of the fields given 0.9, nine in ten are right.

Rules say how sure they are in numbers of their own. What those numbers are worth was learnt from made-up resumes whose
truth is known (`python -m evals.resumes.training`), one small formula for each kind of field, and checked on layouts
that were kept aside.
"""

from dibs.services.resumes.calibration.calibrating import calibrate_profile

__all__ = ["calibrate_profile"]
