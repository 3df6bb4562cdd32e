"""Where settings come from, in rising order: defaults, two files, the environment, options.

Each layer is a nested mapping; the last word on a setting wins, and who had it is remembered, so that `tamis config`
can say it and a mistake can be traced to its file and line.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as MalformedVariableError

from tamis.errors import SettingsError
from tamis.settings import Settings
from tamis.text.urls import without_credentials

PREFIX = "TAMIS_"
OTHER_VARIABLES = ("TAMIS_HOME", "TAMIS_DATA", "TAMIS_SERVICES_BUILD", "TAMIS_NEO4J_PASSWORD")
"""Variables of our prefix that are no settings: the data folder, and what the tests are told."""

DEFAULT = "default"

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One place settings come from.

    Attributes:
        name: what a person would call it, e.g. the file's path.
        values: nested, as the schema is.
        file: the TOML file, None for the environment and options.
    """

    name: str
    values: Mapping[str, Any]
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as `tamis config` shows it.

    Attributes:
        name: dotted, e.g. ``crawl.depth``.
        value: in force; secrets are masked.
        source: the layer that had the last word, ``default`` where none did.
        description: from the schema.
    """

    name: str
    value: Any
    source: str
    description: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings with the layers they were read from."""

    settings: Settings
    layers: tuple[Layer, ...]

    def listed(self) -> list[Setting]:
        """Every setting, in the order of the schema."""
        return [
            Setting(".".join(path), _masked(value), _source(self.layers, path), field.description or "")
            for path, value, field in _leaves(self.settings)
        ]


def config_files() -> tuple[Path, Path]:
    """The user's ``config.toml`` and the working folder's ``tamis.toml``, whether they exist or not."""
    from platformdirs import user_config_path

    return user_config_path("tamis", appauthor=False) / "config.toml", Path("tamis.toml")


def load_settings(options: Mapping[str, Any] | None = None) -> LoadedSettings:
    """Read all layers and check them against the schema.

    Args:
        options: nested values from a command line or a caller; they have the last word.

    Raises:
        SettingsError: a name the schema does not know, or a value it does not accept, with where it stands.
    """
    layers = [Layer(str(path), _toml(path), path) for path in config_files() if path.is_file()]
    layers += _environment()
    if options:
        layers.append(Layer("options", options))
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = _merge(merged, layer.values)
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        # Not chained: pydantic's own message may show what was given.
        raise _explained(error, layers) from None
    return LoadedSettings(settings, tuple(layers))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}", fix="mend that line or remove the file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}", fix="make it readable UTF-8 or remove it") from error


def _environment() -> list[Layer]:
    """One layer a variable, so that a mistake names its variable."""
    layers = []
    for name in sorted(os.environ):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper in OTHER_VARIABLES:
            continue
        source = EnvSettingsSource(Settings)
        source.env_vars = {name.lower(): os.environ[name]}
        try:
            values = source()
        except MalformedVariableError as error:
            raise SettingsError(
                f"the variable {name} does not hold what {_dotted(name)} takes",
                fix='lists and groups are written as JSON: ["a", "b"]',
            ) from error
        if not values:
            raise SettingsError(f"unknown setting in the environment: {name}", fix=_nearest_variable(name))
        layers.append(Layer(name, values))
    return layers


def _dotted(variable: str) -> str:
    return variable.removeprefix(PREFIX).lower().replace("__", ".")


def _variable(path: Keys) -> str:
    return PREFIX + "__".join(path).upper()


def _nearest_variable(name: str) -> str:
    known = [_variable(path) for path, _, _ in _leaves(Settings.model_construct())]
    return _nearest(name.upper(), [*known, *OTHER_VARIABLES])


def _nearest(name: str, known: list[str]) -> str:
    from rapidfuzz import process

    found = process.extractOne(name, sorted(known), score_cutoff=50)
    if found is None:
        return "`tamis config` lists every setting"
    return f"did you mean {found[0]}? `tamis config` lists every setting"


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def _lookup(values: Any, path: Keys) -> tuple[bool, Any]:  # noqa: ANN401 - TOML values are anything
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return False, None
        values = values[key]
    return True, values


def _holder(layers: tuple[Layer, ...] | list[Layer], path: Keys) -> Layer | None:
    return next((layer for layer in reversed(layers) if _lookup(layer.values, path)[0]), None)


def _source(layers: tuple[Layer, ...], path: Keys) -> str:
    holder = _holder(layers, path)
    return holder.name if holder else DEFAULT


def _leaves(model: BaseModel, above: Keys = ()) -> Iterator[tuple[Keys, Any, FieldInfo]]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value, field


def _masked(value: Any) -> Any:  # noqa: ANN401 - settings hold many types
    if isinstance(value, SecretStr):
        return "********" if value.get_secret_value() else ""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _masked(entry) for key, entry in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _explained(error: ValidationError, layers: list[Layer]) -> SettingsError:
    """The first problem in a person's words."""
    problem = error.errors(include_url=False)[0]
    path = tuple(str(part) for part in problem["loc"])
    holder = _holder(layers, path)
    name = ".".join(path)
    # A path into a list or a wrongly typed section is not found as it stands: its longest known beginning is.
    while holder is None and path:
        path = path[:-1]
        holder = _holder(layers, path)
    where = _where(holder, path)
    if problem["type"] == "extra_forbidden":
        known = [".".join((*path[:-1], sibling)) for sibling in _siblings(path)]
        return SettingsError(f"unknown setting {name!r}{where}", fix=_nearest(name, known))
    return SettingsError(
        f"{name} is {_given(name, problem['input'])}{where}; expected {_expected(problem, path)}",
        fix=f"`tamis config` shows what {name} is for and its default",
    )


_SHAPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text in quotes",
    "tuple": 'a list, written ["a", "b"]',
    "dict": "a table, written { a = 1, b = 2 }",
}
"""What a person writes in TOML, by the first word of pydantic's name for the mistake."""


def _given(name: str, value: Any) -> str:  # noqa: ANN401 - settings hold anything
    """A wrong value, as far as it may be shown: a table or list may hold a key."""
    if any(word in name for word in ("key", "password", "credentials")):
        return "a secret"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    # Where a group was expected, whatever stands there may be meant for any of its settings.
    group: Any = Settings.model_construct()
    for key in name.split("."):
        group = getattr(group, key, None)
    if isinstance(group, BaseModel) and isinstance(value, str):
        return "text"
    return repr(without_credentials(value) if isinstance(value, str) else value)


def _expected(problem: Mapping[str, Any], path: Keys) -> str:
    kind, _, mistake = problem["type"].partition("_")
    group: Any = Settings.model_construct()
    for key in path:
        group = getattr(group, key, None)
    if kind in ("model", "dict") and isinstance(group, BaseModel):
        below = type(group).model_fields
        tables = [key for key in below if isinstance(getattr(group, key), BaseModel)]
        shown = ", ".join(f"[{'.'.join((*path, key))}]" for key in tables)
        some = ", ".join(key for key in list(below)[:3])
        return f"the tables {shown}" if shown else f"a table [{'.'.join(path)}] with {some} …"
    if kind in _SHAPES and mistake in ("type", "parsing", "from_float", "sub_type", "unicode"):
        return _SHAPES[kind]
    said: str = problem["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return said


def _siblings(path: Keys) -> list[str]:
    model: BaseModel = Settings.model_construct()
    for key in path[:-1]:
        below = getattr(model, key, None)
        if not isinstance(below, BaseModel):
            return []
        model = below
    return list(type(model).model_fields)


def _where(holder: Layer | None, path: Keys) -> str:
    if holder is None:
        return ""
    if holder.file is None:
        return f" (from {holder.name})"
    line = _line(holder.file, path)
    return f" in {holder.file}, line {line}" if line else f" in {holder.file}"


def _line(file: Path, path: Keys) -> int:
    """Where a setting stands in a TOML file, 0 where a plain reading does not find it."""
    table: Keys = ()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        header = re.match(r"\A\s*+\[([^\[\]]++)\]", line)
        if header:
            table = _split(header.group(1))
            if table == path:
                return number
            continue
        entry = re.match(r"\A\s*+([\w.\"' -]++)\s*+=", line)
        if entry and (*table, *_split(entry.group(1))) == path:
            return number
    return 0


def _split(dotted: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
