"""robots.txt: who may fetch what (RFC 9309), and which sitemaps there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from protego import Protego

from tamis.acquire.fetch import Fetcher
from tamis.acquire.response import Response
from tamis.errors import FetchError
from tamis.text import urls

_MAX_BYTES = 512 * 1024
"""How much of a robots.txt is read (RFC 9309, 2.5, asks for 500 KiB at least)."""
_LONGEST_LINE = 4_096
"""Characters of a line that is read: no address is longer."""
_AGENT_LINE = re.compile(r"user-? ?agent ?:? ?([^ /#]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Robots:
    """What one site's robots.txt says to us.

    Attributes:
        agent: our name, as robots.txt knows it.
        rules: the parsed file; None where there is none and everything is allowed.
        unreadable: why the file could not be had; then nothing is allowed.
    """

    agent: str
    rules: Protego | None = None
    unreadable: str = ""

    def allows(self, url: str) -> bool:
        """Whether we may fetch the URL."""
        if self.unreadable:
            return False
        return self.rules is None or bool(self.rules.can_fetch(url, self.agent))

    @property
    def delay_seconds(self) -> float:
        """The pause the site asks for, 0 when it asks for none."""
        asked = None if self.rules is None else self.rules.crawl_delay(self.agent)
        return max(0.0, float(asked)) if asked is not None else 0.0

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """As listed."""
        return () if self.rules is None else tuple(dict.fromkeys(str(url) for url in self.rules.sitemaps))

    @property
    def reason(self) -> str:
        """Why something is refused, in a user's words."""
        return self.unreadable or f"robots.txt disallows it for {self.agent}"


def agent_name(user_agent: str) -> str:
    """The name robots.txt is asked about: the first word of the User-Agent, without version."""
    return user_agent.split("/")[0].split()[0] if user_agent.strip() else "tamis"


def parse(text: str, *, user_agent: str) -> Robots:
    """Read a robots.txt."""
    agent = agent_name(user_agent)
    return Robots(agent, Protego.parse("\n".join(_concerning(text.splitlines(), agent.lower()))))


def _concerning(lines: Iterable[str], agent: str) -> Iterator[str]:
    """The lines, with all agents that are not us under one name: each rule of a group is kept for each of its agents.

    An agent's name ends at its first blank or slash (RFC 9309, 2.2.1).
    """
    for line in lines:
        if len(line) > _LONGEST_LINE:
            continue
        found = _AGENT_LINE.match(" ".join(line.split()))
        if found is None:
            yield line
            continue
        name = found[1].lower().replace("*", "") or "*"
        yield f"user-agent: {name if name == '*' or name in agent else f'not-{agent}'}"


async def fetch_robots(url: str, fetcher: Fetcher) -> Robots:
    """The rules of the site a URL is on.

    Not there (4xx, or redirects without end) allows everything; failing (5xx, no answer) forbids everything (RFC 9309,
    2.3.1).

    Raises:
        RefusedAddressError: the guard refuses the site.
    """
    agent = agent_name(fetcher.settings.user_agent)
    address = urls.join(url, "/robots.txt")
    try:
        # A longer file is read as far as its limit, not refused (RFC 9309, 2.5).
        response = await fetcher.get(address, at_most=_MAX_BYTES)
    except FetchError as error:
        if error.status is not None and 300 <= error.status < 400:
            return Robots(agent)
        return Robots(agent, unreadable=f"{error.message} (asked for robots.txt, without which nothing is fetched)")
    return _judged(response, fetcher.settings.user_agent)


def _judged(response: Response, user_agent: str) -> Robots:
    agent = agent_name(user_agent)
    if response.ok:
        return parse(response.body.decode("utf-8-sig", "replace"), user_agent=user_agent)
    if 400 <= response.status < 500 and response.status != 429:
        return Robots(agent)
    return Robots(agent, unreadable=f"robots.txt answered {response.status}, so nothing is fetched")
