"""One of each thing that the description has an example of, made through the API itself."""

from typing import Any

from tests.server.keys import ACME, OPERATOR

WHY = {"reason": "a test"}
API = "/api/v1"
PROFILE = f"{API}/postings/profiles/{{name}}"
TEXT = b"Ada Byron\nada@example.org\n\nExperience\nEngineer, Acme Ltd\n2019 - 2021\n"
SCHEDULE = {"job_type": "PING", "timing": {"type": "cron", "expression": "0 3 * * *"}, **WHY}
JOB = {"job_type": "PING", "input": {"text": "hello"}, "source": "default", "concurrency_key": "default"}
HOOK = {"url": "https://example.com/hooks", "events": ["job.failed"], **WHY}
CLAIM = {"action": "run", "job_id": "12345", "board": "ramp", "variant_id": "resume-v2"}
USER = {"name": "ada", "password": "correct horse battery", "role": "viewer", "tenant": "acme", **WHY}
ANSWER = {"question": "Do you require a visa?", "value": "no", **WHY}
IDEMPOTENCY = "Idempotency-Key"


class Things:
    """Makes things of acme, the tenant in the examples, and knows which of them stands for which example."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._made: dict[tuple[str, Any], str] = {}
        self.are_made = False

    def make_all(self) -> None:
        """Make one of each; later, whatever is missing and can be made."""
        self._note("job_id", "jobs", self._send("POST", f"{API}/jobs", JOB).get("job", {}))
        self._note("key_id", "keys", self._send("POST", f"{API}/keys", {"scopes": ["jobs:read"], **WHY}))
        self._note("endpoint_id", "webhooks", self._send("POST", f"{API}/webhooks", HOOK))
        self._note("resume_id", "resumes", self._send("POST", f"{API}/resumes", TEXT, kind="application/octet-stream"))
        self._send("PUT", f"{API}/schedules/{{name}}", SCHEDULE, name="nightly")
        self._send("PUT", PROFILE, {"full_name": "Ada Byron", **WHY}, name="p1")
        self._send("PUT", f"{PROFILE}/variants/{{variant_id}}", WHY, name="p1", variant_id="resume-v2")
        run = self._find_example("GET", f"{API}/runs/{{run_id}}", "run_id")
        self._send("POST", f"{API}/postings", {**CLAIM, "run_id": run})
        self._send("PUT", f"{API}/answers", ANSWER)
        self._send("POST", f"{API}/users", USER, key=OPERATOR)
        for kind in ("sources", "budgets"):
            self._send("PUT", f"{API}/{kind}/{{name}}", WHY, name="default", key=OPERATOR)
        self.are_made = True

    def put_into(self, case: Any) -> None:
        """Name what is there instead of what an example names."""
        given = case.path_parameters or {}
        named = {name: self._made.get((name, value), value) for name, value in given.items()}
        if named != given:
            # Not otherwise: Schemathesis judges anew what was set, and takes odd but good names for wrong ones.
            case.path_parameters = named
        # Every case has that of the example, and all but the first would be refused: asked for otherwise before.
        if (case.headers or {}).get(IDEMPOTENCY) == self._find_example("POST", f"{API}/jobs", IDEMPOTENCY):
            del case.headers[IDEMPOTENCY]

    def _note(self, name: str, kind: str, told: dict[str, Any]) -> None:
        example = self._find_example("GET", f"{API}/{kind}/{{{name}}}", name)
        self._made[name, example] = told.get("id", example)

    def _find_example(self, method: str, path: str, name: str) -> str:
        parameters = self._schema.raw_schema["paths"][path][method.lower()]["parameters"]
        [found] = [one for one in parameters if one["name"] == name]
        example: str = found["example"] if "example" in found else found["schema"]["examples"][0]
        return example

    def _send(
        self, method: str, path: str, body: Any, *, key: str = ACME, kind: str = "application/json", **named: str
    ) -> Any:
        case = self._schema[path][method].Case(body=body, path_parameters=named, media_type=kind)
        answered = case.call(headers={"Authorization": f"Bearer {key}"}, timeout=60)
        assert answered.status_code < (500 if self.are_made else 300), f"{method} {path}: {answered.text}"
        return answered.json()
