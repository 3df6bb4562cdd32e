"""What a user asks of one crawl, in one object that every layer passes on."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from tamis.errors import UsageError
from tamis.settings import CrawlSettings, FetchSettings
from tamis.text import urls


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """One crawl. What is None is left to the settings.

    Attributes:
        url: the start page, kept without credentials; its host and port are the site. A redirect of it may move the
            crawl.
        depth: most clicks from it.
        max_pages: most pages stored.
        delay: seconds between requests; adapts to the site when neither this nor the settings say.
        concurrency: requests under way at once.
        include: globs on the path; pages that match none are not fetched (the start page is, for its links).
        exclude: globs on the path; pages that match one are not fetched.
        allow_hosts: hosts whose private or loopback addresses may be fetched, beside those of the settings.
        force: fetch and store everything anew, and try a host whose circuit is open.

    Raises:
        UsageError: the start page is no http or https address.
    """

    url: str
    depth: int | None = None
    max_pages: int | None = None
    delay: float | None = None
    concurrency: int | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    force: bool = False

    def __post_init__(self) -> None:
        if not urls.is_web(self.url):
            raise UsageError(
                f"{urls.shown(self.url)!r} is not an http or https address", fix="Give the full URL: https://…"
            )
        object.__setattr__(self, "url", urls.without_credentials(self.url))

    def over(self, settings: CrawlSettings) -> CrawlSettings:
        """The settings with the last word given to this request.

        Raises:
            UsageError: a number out of the range the settings allow.
        """
        asked = {
            "depth": self.depth,
            "max_pages": self.max_pages,
            "delay_seconds": self.delay,
            "concurrency": self.concurrency,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        try:
            return CrawlSettings.model_validate(settings.model_dump() | given)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            name = problem["loc"][0]
            raise UsageError(
                f"a crawl with {name} {problem['input']!r} is not possible: {problem['msg']}",
                fix=f"`tamis config crawl.{name}` shows what it is for and its default",
            ) from None

    def allowed(self, settings: FetchSettings) -> FetchSettings:
        """The fetch settings with this request's hosts allowed too."""
        return settings.model_copy(update={"allow_hosts": (*settings.allow_hosts, *self.allow_hosts)})
