"""Everything tamis raises on purpose.

A branch exists where a caller would act differently::

    TamisError
    ├── UsageError                exit 2: the caller can mend it by asking differently
    │   ├── SettingsError         a setting is unknown or out of range
    │   ├── UnknownCollectionError
    │   └── UnknownNameError      no such recipe, method, template, source, vibe …
    ├── StoreError                the collection on disk cannot be used as it is
    │   ├── EmbeddingMismatchError  made with another embedding model: `tamis reembed`
    │   ├── SchemaVersionError      written by a newer tamis
    │   ├── DamagedStoreError       a file is not what it should be
    │   ├── BusyStoreError          another process is writing
    │   └── DiskError               no space, no permission, no such place
    ├── AcquireError              one page or file could not be had; never ends a run
    │   ├── RefusedAddressError   the network guard said no
    │   ├── RobotsRefusedError    the site said no
    │   ├── FetchError            transport, status, deadline, size
    │   └── UnreadableError       bytes arrived but hold no readable text
    ├── ModelError                a model could not be used
    │   ├── ModelUnreachableError
    │   ├── ModelAuthError
    │   ├── ModelReplyError       it answered, but nothing usable
    │   └── ModelFilesError       packaged weights are missing or not the expected bytes
    ├── BoundExceededError        exit 5: the computed bound is above what the user allows
    └── BreachError               exit 6: audit, verify or replay found a difference

``NotEnoughEvidence`` is a result, not an error: a report whose tier is "none" and whose exit code is 3.
"""

from __future__ import annotations

from typing import ClassVar

REINSTALL = "install tamis again: pip install --force-reinstall . in the folder of its source"


def with_extra(extra: str) -> str:
    """How to install an optional part, from the source that tamis itself is installed from."""
    return f'pip install ".[{extra}]" in the folder of tamis\'s source'


class TamisError(Exception):
    """Base of every error raised on purpose.

    Args:
        message: one line naming the thing and the values that disagree.
        fix: one line saying what to do about it, empty where nothing helps.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}\n{self.fix}" if self.fix else self.message


class UsageError(TamisError):
    """The request itself is wrong."""

    exit_code = 2


class SettingsError(UsageError):
    """A setting is unknown, of the wrong type or out of range."""


class UnknownCollectionError(UsageError):
    """No collection of that name in the data folder."""


class UnknownNameError(UsageError):
    """A name that no registry knows: recipe, summariser, template, source, vibe."""


class StoreError(TamisError):
    """A collection cannot be used as it stands on disk."""

    exit_code = 2


class EmbeddingMismatchError(StoreError):
    """The collection's vectors come from another embedding model than the one in use."""


class SchemaVersionError(StoreError):
    """The collection was written by a newer tamis."""


class DamagedStoreError(StoreError):
    """A file of the collection is not what it should be."""

    exit_code = 1


class BusyStoreError(StoreError):
    """Another process holds the collection's write lock."""

    exit_code = 1


class DiskError(StoreError):
    """The disk or its permissions refuse."""

    exit_code = 1


class AcquireError(TamisError):
    """One page or file could not be had. Recorded with its reason; the run goes on."""


class RefusedAddressError(AcquireError):
    """The network guard refused the scheme, host, address or port."""

    exit_code = 2


class RobotsRefusedError(AcquireError):
    """robots.txt disallows the page."""


class FetchError(AcquireError):
    """Transport failure, error status, deadline or size limit.

    Args:
        status: the HTTP status, or None where no answer came.
        retry_after: seconds the server asked to wait, or None.
    """

    def __init__(
        self, message: str, *, fix: str = "", status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, fix=fix)
        self.status = status
        self.retry_after = retry_after


class UnreadableError(AcquireError):
    """The bytes arrived but hold no text that can be read."""


class ModelError(TamisError):
    """A model could not be used."""

    sent: bool = True
    """Whether it may have read the prompt, so that what it read counts."""


class ModelUnreachableError(ModelError):
    """No connection, a deadline passed, or the server failed.

    Args:
        sent: False where no connection came about, so that nothing can have been read.
    """

    def __init__(self, message: str, *, fix: str = "", sent: bool = True) -> None:
        super().__init__(message, fix=fix)
        self.sent = sent


class ModelAuthError(ModelError):
    """The endpoint refused the key, or the model name is unknown there."""

    exit_code = 2


class ModelReplyError(ModelError):
    """The model answered, but nothing usable: empty, cut off, or not what was asked for."""


class ModelFilesError(ModelError):
    """Packaged weights are missing, or their bytes are not the ones tamis was measured with."""

    exit_code = 2
    sent = False


class BoundExceededError(TamisError):
    """The upper bound of calls, tokens or cost is above what the user allows. Nothing was spent."""

    exit_code = 5


class BreachError(TamisError):
    """A check of stored things found a difference."""

    exit_code = 6
