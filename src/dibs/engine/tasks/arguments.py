"""From a job's input to a handler's arguments, checked by the handler's own annotations."""

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from dibs.errors import BadInput, NotJson
from dibs.kit.codec import too_deep

_EMPTY = inspect.Parameter.empty


class Arguments:
    """What one handler takes.

    The first parameter is the context if it is called `ctx` or annotated as `Context`. The rest are filled from the
    input, a JSON object, by name; types are checked by msgspec, and pydantic models by themselves.
    """

    def __init__(self, handler: Callable[..., Any], *, name: str) -> None:
        parameters = list(inspect.signature(handler).parameters.values())
        self.name = name
        self.wants_context = bool(parameters) and _is_context(parameters[0])
        taken = parameters[1:] if self.wants_context else parameters
        _refuse_positional_only(taken, name)
        self.takes_anything = any(one.kind is one.VAR_KEYWORD for one in taken)
        named = [one for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
        self.names = tuple(one.name for one in named)
        self._defaults = {one.name: one.default for one in named if one.default is not _EMPTY}
        self._shape = _make_shape(handler, named, name=name, is_open=self.takes_anything)
        self._shapes = list[self._shape]  # type: ignore[name-defined]

    def read(self, given: Any) -> dict[str, Any]:
        """Turn an input into arguments; refuse one that does not fit, naming the field."""
        if not isinstance(given, dict):
            message = f"input of {self.name} must be an object with {self._wanted()}, got {type(given).__name__}"
            raise BadInput(message)
        try:
            shaped = msgspec.convert(given, self._shape, dec_hook=_decode_foreign, str_keys=True)
        except RecursionError as cause:
            raise too_deep(f"input of {self.name}") from cause
        except (msgspec.ValidationError, ValueError, TypeError) as cause:
            message = f"input of {self.name} does not fit: {cause}. It takes {self._wanted()}."
            raise BadInput(message) from cause
        known = msgspec.structs.asdict(shaped)
        return {**given, **known} if self.takes_anything else known

    def check_all(self, many: Sequence[Any]) -> None:
        """Refuse the first input that `read` would refuse. Together they take a tenth of the time."""
        with suppress(RecursionError, msgspec.ValidationError, ValueError, TypeError):
            if not set(map(type, many)) - {dict}:
                msgspec.convert(many, self._shapes, dec_hook=_decode_foreign, str_keys=True)
                return
        for given in many:
            self.read(given)

    def write(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Turn arguments into an input, refusing those that `read` would refuse later."""
        plain: dict[str, Any] = to_plain(dict(arguments), f"the arguments of {self.name}")
        self.read(plain)
        return plain

    def write_all(self, many: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Turn many sets of arguments into inputs."""
        plain: list[dict[str, Any]] = to_plain([dict(arguments) for arguments in many], f"the arguments of {self.name}")
        self.check_all(plain)
        return plain

    def fill_in(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Give an input with the defaults of what it leaves out, as plain values."""
        left_out = {name: one for name, one in self._defaults.items() if name not in given}
        return {**to_plain(left_out, f"the defaults of {self.name}"), **given}

    def _wanted(self) -> str:
        return ", ".join(self.names) or "no fields"


def to_plain(value: Any, what: str, *, of: str | None = None) -> Any:
    """Turn records, dates, sets and the like into plain JSON values, as msgspec and pydantic write them.

    `what`, and the id it is `of`, name it in errors.
    """
    if value is None:
        return None
    try:
        return msgspec.to_builtins(value, enc_hook=_encode_foreign, str_keys=True)
    except RecursionError as cause:
        raise too_deep(what, of) from cause
    except (TypeError, ValueError) as cause:
        named = what if of is None else f"{what} {of!r}"
        message = f"{named} is not JSON ({cause})."
        raise NotJson(message) from cause


def _is_context(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    called = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return parameter.name == "ctx" or called == "Context"


def _refuse_positional_only(parameters: list[inspect.Parameter], name: str) -> None:
    for one in parameters:
        if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL):
            message = (
                f"task {name!r}: parameter {one.name!r} has no name in an input. Use plain or keyword-only parameters."
            )
            raise BadInput(message)


def _make_shape(
    handler: Callable[..., Any], parameters: list[inspect.Parameter], *, name: str, is_open: bool
) -> type[msgspec.Struct]:
    hints = _read_hints(handler)
    fields = [_make_field(one, hints.get(one.name, Any)) for one in parameters]
    try:
        return msgspec.defstruct(f"{name}Input", fields, kw_only=True, forbid_unknown_fields=not is_open)
    except TypeError as cause:
        message = f"task {name!r}: its parameters cannot be checked ({cause}). Annotate them with JSON-like types."
        raise BadInput(message) from cause


def _read_hints(handler: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(handler, include_extras=True)
    except NameError:
        # An annotation that exists only for type checkers: take such parameters as they come.
        return {}


def _make_field(parameter: inspect.Parameter, annotation: Any) -> tuple[Any, ...]:
    if parameter.default is _EMPTY:
        return (parameter.name, annotation)
    default = parameter.default
    if isinstance(default, (list, dict, set)):
        return (parameter.name, annotation, msgspec.field(default_factory=lambda: type(default)(default)))
    return (parameter.name, annotation, default)


def _decode_foreign(kind: type[Any], given: Any) -> Any:
    validate = getattr(kind, "model_validate", None)
    if validate is not None:
        return validate(given)
    if isinstance(given, kind):
        return given
    message = f"cannot make a {kind.__name__} of {type(given).__name__}"
    raise TypeError(message)


def _encode_foreign(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    message = f"{type(value).__name__} is not JSON"
    raise TypeError(message)
