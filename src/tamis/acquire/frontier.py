"""Which pages a crawl still has to visit: breadth first, each once, inside the scope the user set."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePosixPath

from tamis.text import urls

# Kinds that hold no text to read, known by name so that they cost no request.
_NO_TEXT = frozenset(
    """
    .png .jpg .jpeg .gif .webp .avif .svg .svgz .ico .bmp .tif .tiff .psd .heic
    .mp3 .ogg .oga .wav .flac .m4a .aac .mp4 .m4v .webm .avi .mov .mkv .wmv .flv
    .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .whl .deb .rpm .apk .dmg .iso .msi .exe .bin .so .dll .class
    .woff .woff2 .ttf .otf .eot .css .js .mjs .map .wasm .swf .db .sqlite .pkl .npy .inv
    """.split()
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to visit.

    Attributes:
        url: as it will be requested.
        depth: clicks from the start page.
        hops: redirects that led here one after another.
        alone: its canonical link is not followed, because the page it names could not be had.
        leads_on: whether its links are followed.
        linked_from: the page that led here first, empty for none.
    """

    url: str
    depth: int
    hops: int = 0
    alone: bool = False
    leads_on: bool = True
    linked_from: str = ""

    @property
    def key(self) -> str:
        """The page's identity."""
        return urls.canonical(self.url)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which URLs belong to the crawl: one whole site (host and port), not only the folder of the start page.

    Attributes:
        site: host and port.
        depth: most clicks from the start page.
        include: globs on the path; when there are any, one must match. ``*`` crosses slashes.
        exclude: globs on the path, none of which may match.
    """

    site: str
    depth: int
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def near(self, url: str) -> bool:
        """Whether the URL is on the site."""
        return urls.site(url) == self.site

    def stores(self, url: str) -> bool:
        """Whether the globs let the page in."""
        path = urls.path(url)
        if self.include and not any(_matches(path, glob) for glob in self.include):
            return False
        return not any(_matches(path, glob) for glob in self.exclude)


def _matches(path: str, glob: str) -> bool:
    return fnmatchcase(path, glob if glob.startswith(("/", "*")) else f"/{glob}")


def holds_no_text(url: str) -> bool:
    """Whether the name alone says that there is nothing to read."""
    return PurePosixPath(urls.path(url)).suffix.lower() in _NO_TEXT


_MOST_CHARACTERS = 1_000_000
"""Of all links of one page together: they are stored with it."""
_REMEMBERED = 10
"""Pages known for each that can be visited."""


class Frontier:
    """First in, first out, one level of depth after the other; knows every page it ever held.

    Args:
        room: entries that can still be visited at most. What would come after as many others is not kept.
    """

    def __init__(self, room: int) -> None:
        self.turned_away = 0
        self._room = room
        self._levels: dict[int, deque[Entry]] = {}
        self._seen: set[str] = set()

    def __len__(self) -> int:
        return sum(len(level) for level in self._levels.values())

    def knows(self, key: str) -> bool:
        """Whether a page was ever added."""
        return key in self._seen

    def add(self, entry: Entry) -> bool:
        """Queue a page at the end of its level.

        Returns:
            False when the page was added before, or will not be visited for all the others before it.
        """
        key = entry.key
        if key in self._seen:
            return False
        if sum(len(level) for depth, level in self._levels.items() if depth <= entry.depth) >= self._room:
            self.turned_away += 1
            return False
        self._seen.add(key)
        self._levels.setdefault(entry.depth, deque()).append(entry)
        return True

    def pass_over(self, url: str) -> None:
        """Know a page without queuing it, as long as there is room to remember it."""
        if len(self._seen) < _REMEMBERED * self._room:
            self._seen.add(urls.canonical(url))

    def again(self, entry: Entry) -> None:
        """Queue a page that was taken before."""
        self._levels.setdefault(entry.depth, deque()).append(entry)

    def take(self) -> Entry:
        """The next page.

        Raises:
            LookupError: nothing is left.
        """
        for depth in sorted(self._levels):
            if self._levels[depth]:
                return self._levels[depth].popleft()
        raise LookupError("the frontier is empty")


def same_site(links: Iterable[str], scope: Scope, limit: int) -> tuple[str, ...]:
    """The links that stay on the site, normalised, none twice, in order.

    Args:
        links: absolute.
        scope: of the crawl.
        limit: most links returned; ten times as many are looked at.
    """
    found: dict[str, None] = {}
    characters = 0
    for link in islice(links, 10 * limit):
        if len(found) >= limit or characters > _MOST_CHARACTERS:
            break
        normal = urls.normalise(link)
        if scope.near(normal) and normal not in found:
            found[normal] = None
            characters += len(normal)
    return tuple(found)


def as_globs(patterns: Sequence[str] | None) -> tuple[str, ...]:
    """Globs as given, without empty ones."""
    return tuple(pattern for pattern in patterns or () if pattern)
