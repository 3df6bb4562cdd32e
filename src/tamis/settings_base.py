"""What every part of the settings schema is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tamis.text.urls import split_credentials

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
Cosine = Annotated[float, Field(ge=-1.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A group of settings: immutable, and unknown names are errors."""

    # What was wrong is said by us, without the value where that is a secret.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _apart(cls, values: Any) -> Any:  # noqa: ANN401 - whatever a file holds
        """Credentials written into an address become a secret of their own, so that the address can be shown."""
        if not isinstance(values, Mapping):
            return values
        apart = dict(values)
        for name, value in values.items():
            bare, secret = split_credentials(value) if isinstance(value, str) and name.endswith("url") else ("", "")
            if secret and "credentials" not in cls.model_fields:
                raise ValueError(f"{name} without user name and password")
            if secret:
                apart[name] = bare
                # Defaults stand there as well; only what somebody wrote beside the address has the last word.
                apart["credentials"] = apart.get("credentials") or unquote(secret)
        return apart
