"""What a server answered, and what can be read off its headers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from tamis.errors import FetchError
from tamis.text import urls

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST_VALIDATOR = 1_000
"""Characters; it is stored with its page and sent with every later request."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered.

    Attributes:
        url: that answered, after redirects, as requested.
        status: HTTP status.
        headers: by lower-case name; repeated ones joined with a comma.
        body: decompressed; empty where it was not wanted or the status is not 2xx.
        seconds: from the request to the last byte.
        redirects: URLs that led here, in order.
        unwanted: the body was left on the server because the caller did not want this kind.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0
    redirects: tuple[str, ...] = ()
    unwanted: bool = False

    @property
    def ok(self) -> bool:
        """Whether a page came."""
        return 200 <= self.status < 300

    @property
    def media_type(self) -> str:
        """Lower-case, without parameters; empty when the server did not say."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """As the server declares it, empty when it does not."""
        for parameter in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'")
        return ""

    @property
    def etag(self) -> str:
        """Validator for If-None-Match, empty when there is none that can be sent back."""
        return self._validator("etag")

    @property
    def last_modified(self) -> str:
        """Validator for If-Modified-Since, empty when there is none that can be sent back."""
        return self._validator("last-modified")

    def _validator(self, name: str) -> str:
        text = self.headers.get(name, "")
        return text if len(text) <= _LONGEST_VALIDATOR and text.isascii() and text.isprintable() else ""

    @property
    def location(self) -> str:
        """Where a redirect leads, normalised; empty when this is none or it leads nowhere that can be fetched."""
        target = self.headers.get("location", "") if self.status in _REDIRECTS else ""
        return urls.join(self.url, target) if target else ""

    @property
    def redirected(self) -> bool:
        """Whether this is a redirect that was not followed."""
        return self.status in _REDIRECTS and "location" in self.headers


def retry_after(response: Response, *, now: float) -> float | None:
    """Seconds the server asks to wait.

    Args:
        response: any.
        now: seconds since the epoch, to which a date is relative.

    Returns:
        None when it does not say, or not understandably.
    """
    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def demand(response: Response) -> Response:
    """The response, if a page came.

    Raises:
        FetchError: any other status.
    """
    if response.ok:
        return response
    raise FetchError(f"{response.url} answered {response.status}", fix=_remedy(response.status), status=response.status)


def _remedy(status: int) -> str:
    """What a person can do about an answer that is no page."""
    if status in (404, 410):
        return "there is no such page: check the address for misspellings"
    if status in (401, 403, 407, 451):
        return "the site does not show this page to everybody; save it in a browser and read the file"
    if status == 429 or status >= 500:
        return "the site is in trouble or asks to wait; try again later"
    return "check the address in a browser"
