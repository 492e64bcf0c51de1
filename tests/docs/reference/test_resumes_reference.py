"""Every setting, flag, refusal and reason of resumes is documented as it is, or the build fails."""

import pytest

from dibs.services.resumes.flags import REFUSALS, REVIEWED, WARNINGS, Refusal, Warned
from dibs.services.resumes.reading.screening.seeing import REASONS, Reason
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.tasks import PARSE, SCAN
from dibs.services.resumes.uploads.model import FINISH, ResumeAction, UploadState
from tests.docs.pages import DOCS

PAGE = (DOCS / "reference" / "resumes.md").read_text()


def shown(value) -> str:
    return str(getattr(value, "value", f"{value:g}" if isinstance(value, float) else value))


@pytest.mark.parametrize("field", ResumeSettings.__struct_fields__)
def test_every_setting_is_documented_with_its_default(field):
    default = shown(getattr(ResumeSettings(), field))
    assert f"| `{field}` | `DIBS_RESUMES_{field.upper()}` | {default} |" in PAGE


@pytest.mark.parametrize("code", Warned)
def test_every_flag_is_documented_with_its_sentence(code):
    assert f"| `{code.value}` | {WARNINGS[code]} | {'yes' if code in REVIEWED else 'no'} |" in PAGE


@pytest.mark.parametrize("code", Refusal)
def test_every_refusal_is_documented_with_its_sentence(code):
    assert f"| `{code.value}` | {REFUSALS[code]} |" in PAGE


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_documented(reason):
    assert f"| `{reason.value}` | {REASONS[reason]} |" in PAGE


@pytest.mark.parametrize("task", [PARSE, SCAN, FINISH])
def test_every_task_is_documented(task):
    assert f"| `{task}` |" in PAGE


@pytest.mark.parametrize("word", [*UploadState, *ResumeAction])
def test_every_state_and_act_of_a_resume_is_documented(word):
    assert f"| `{word.value}` |" in PAGE
