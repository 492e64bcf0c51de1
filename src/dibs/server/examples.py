"""Examples for the description: one of each shape, made of what its fields are called and what they may be."""

from typing import Any

from dibs.server.shapes.jobs import EXAMPLE_ID

Schema = dict[str, Any]
_AT = "2027-01-31T09:00:00Z"
# What a field is called says more of it than its type does.
_NAMED: dict[str, Any] = {
    "action": "JOB_CANCELLED",
    "actor": "user:ada",
    "answers": {"work_permit": "yes"},
    "apply_url": "https://example.com/jobs/12345/apply",
    "artifacts": {"resume": "backend.pdf"},
    "board": "ramp",
    "code": "source_paused",
    "company": "Ramp",
    "concurrency_key": "account:7",
    "contact": "ada@example.com",
    "created_by": "user:ada",
    "department": "Engineering",
    "detail": {"from": "pending", "to": "cancelled"},
    "document": "3f0c9b1de2a7",
    "employment_type": "full_time",
    "endpoint_id": EXAMPLE_ID,
    "expression": "0 3 * * *",
    "full_name": "Ada Byron",
    "given_by": "user:ada",
    "head": "9d5ed678fe57bcca610140957afab571",
    "hint": "dibs_9Zk3…",
    "host": "worker-1",
    "id": EXAMPLE_ID,
    "input": {"text": "hello"},
    "job_id": EXAMPLE_ID,
    "job_type": "PING",
    "job_types": ["PING"],
    "key": "dibs_9Zk3vQ1s_examplesecretexamplesecret",
    "locations": ["Berlin"],
    "locked_by": "worker-1",
    "message": "no luck",
    "name": "nightly",
    "next_cursor": "eyJpZCI6MTJ9",
    "output": {"pong": "hello"},
    "parent_id": EXAMPLE_ID,
    "patch": {"status": "submitted"},
    "pay": {"min": 9000000, "max": 11000000, "currency": "EUR"},
    "posting_id": "12345",
    "profile": "backend",
    "progress": {"done": 3, "of": 10},
    "provider": "greenhouse",
    "question": "Do you need a visa?",
    "queue": "default",
    "reason": "the provider is back",
    "role": "Backend engineer",
    "run_id": "run-1",
    "secret": "whsec_examplesecretexamplesecretexample",
    "sentence": "The source greenhouse is paused until 2027-01-31 09:00 UTC.",
    "source": "greenhouse",
    "status": "ready",
    "subject": f"job:{EXAMPLE_ID}",
    "summary": "It waits for its source.",
    "tenant": "acme",
    "timing": {"type": "cron", "expression": "0 3 * * *", "zone": "Europe/Berlin"},
    "title": "Backend engineer",
    "type": "TimeoutError",
    "unique_key": "invoice:7",
    "uploaded_by": "user:ada",
    "url": "https://example.com/hooks",
    "value": "no",
    "variant_id": "backend-en",
    "worker": "worker-1",
    "worker_id": "worker-1",
    "zone": "Europe/Berlin",
}
# In most cases there is none of these.
_NONE = frozenset(
    {
        "error",
        "revoked_at",
        "disabled_at",
        "replaces",
        "held_until",
        "limited_until",
        "paused_until",
        "parent_id",
        "breach",
    }
    | {"unique_key", "concurrency_key", "locked_by", "fault", "progress", "unique", "faults"}
)
_TYPES: dict[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
_KINDS: dict[str, type | tuple[type, ...]] = {"string": str, "object": dict, "array": list}


def make_example(schema: Schema, shapes: dict[str, Schema], name: str = "") -> Any:
    """Make one value that fits a schema."""
    if "$ref" in schema:
        return make_example(shapes[schema["$ref"].rpartition("/")[2]], shapes, name)
    if "anyOf" in schema or "oneOf" in schema:
        options = schema.get("anyOf") or schema["oneOf"]
        if name in _NONE and any(one.get("type") == "null" for one in options):
            return None
        return make_example(next(one for one in options if one.get("type") != "null"), shapes, name)
    for word in ("examples", "enum"):
        if schema.get(word):
            return schema[word][0]
    if "const" in schema:
        return schema["const"]
    return _make_plain(schema, shapes, name)


def _make_plain(schema: Schema, shapes: dict[str, Schema], name: str) -> Any:
    kind = schema.get("type")
    if schema.get("format") == "date-time" or (kind == "string" and name.endswith("_at")):
        return _AT
    if "properties" in schema:
        return {one: make_example(inner, shapes, one) for one, inner in schema["properties"].items()}
    fits = kind is None or isinstance(_NAMED.get(name), _KINDS.get(kind, ()))
    if name in _NAMED and fits:
        return _NAMED[name]
    if "prefixItems" in schema:
        return [make_example(one, shapes, name) for one in schema["prefixItems"]]
    if kind == "array":
        return [make_example(schema.get("items", {}), shapes, name.removesuffix("s"))]
    if kind == "object":
        inner = schema.get("additionalProperties")
        return {_name_key(schema, shapes): make_example(inner, shapes, name)} if isinstance(inner, dict) else {}
    return _within(schema, _TYPES.get(str(kind)))


def _name_key(schema: Schema, shapes: dict[str, Schema]) -> str:
    names = schema.get("propertyNames")
    return "first" if names is None else str(make_example(names, shapes))


def _within(schema: Schema, value: Any) -> Any:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    return value if least is None or isinstance(value, str) else max(value, least + 1 if least else value)


def add_examples(schema: Schema) -> None:
    """Give every shape, every answer that is no JSON, and every parameter an example, unless it has one."""
    shapes: dict[str, Schema] = schema["components"]["schemas"]
    for shape in shapes.values():
        if "properties" in shape and "examples" not in shape:
            shape["examples"] = [make_example(shape, shapes)]
    for path in schema["paths"].values():
        for operation in path.values():
            _complete_operation(operation, shapes)


def _complete_operation(operation: Schema, shapes: dict[str, Schema]) -> None:
    for parameter in operation.get("parameters", ()):
        if not ({"example", "examples"} & set(parameter) or parameter["schema"].get("examples")):
            parameter["example"] = make_example(parameter["schema"], shapes, parameter["name"])
    for part in (operation.get("requestBody", {}), *operation["responses"].values()):
        for kind, content in part.get("content", {}).items():
            if kind in _OTHER and not {"example", "examples"} & set(content):
                content["example"] = _OTHER[kind]


_OTHER = {
    "text/csv": f"id,tenant,queue,job_type,state\r\n{EXAMPLE_ID},acme,default,PING,succeeded\r\n",
    "text/plain": 'dibs_queue_jobs{queue="default",state="pending"} 3.0\n',
    "text/html": "<!doctype html><title>Evidence</title>",
    "text/event-stream": 'id: 12\nevent: job\ndata: {"tenant":"acme","subject":"job:7","action":"JOB_SUCCEEDED"}\n\n',
    "application/octet-stream": "%PDF-1.7",
    "application/zip": "PK",
    "multipart/form-data": {"file": "%PDF-1.7"},
}
