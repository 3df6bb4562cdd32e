"""One spelling for one page: how URLs are compared, requested and attributed to a site.

Two forms. `normalise` is what is sent to a server: it never changes what a well-behaved server answers. `canonical` is
the identity by which pages are told apart (S5); it also drops the trailing slash and orders the query, and so may be a
spelling that the server itself would redirect.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import SplitResult, urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}

_TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "_hs", "vero_", "oly_")
_TRACKING = frozenset(
    """
    fbclid gclid gclsrc gbraid wbraid dclid msclkid yclid twclid ttclid igshid igsh li_fat_id mc_cid mc_eid mkt_tok
    _ga _gl _openstat ysclid srsltid wickedid s_cid icid cmpid ncid zanpid guccounter guce_referrer guce_referrer_sig
    phpsessid jsessionid
    """.split()
)
_SESSION_SEGMENT = re.compile(r";jsessionid=[^/?#]*", re.IGNORECASE)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_SAFE = _UNRESERVED | frozenset("!$&'()*+,;=:@/")
_QUERY_SAFE = _PATH_SAFE | frozenset("?")
# Escaped or not, these mean the same in a query's names and values; "&", "=", "+", "#" and "%" do not.
_ESCAPED_PLAIN = re.compile("|".join(f"%{ord(character):02X}" for character in "!$'()*,/:;?@"))
_TOKEN = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_INDEX_NAMES = ("index.html", "index.htm", "index.php")
_CONTROL = re.compile(r"[\t\n\r]")
_EDGES = "".join(map(chr, range(0x21)))
_HOST_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|`{}\"]")
# With one slash too: that is what is left of an address that was taken for a path.
_AUTHORITY = re.compile(r"^(?P<scheme>(?i:https?):[/\\]+|[A-Za-z][\w.+-]*:[/\\]{1,2}|[/\\]{2})(?P<authority>[^/?#\\]*)")
_BARE_AUTHORITY = re.compile(r"^[^/?#\\@\s:]+:[^/?#\\@\s]+@")
_LONGEST = 4_096
"""Characters of the longest URL that is one: servers refuse longer ones, and a page may hold a million links."""
_REMEMBERED = 512
"""Characters of the longest URL whose parts are kept, so that hostile ones cannot fill the memory."""
_LONGEST_HOST = 253
_SHOWN = 300
_IPV4_LIKE = re.compile(r"(?:0[xX][0-9A-Fa-f]*|[0-9]+)")


def normalise(url: str) -> str:
    """The spelling to request.

    Lower-case scheme and host, internationalised names in ASCII, odd IPv4 spellings resolved, default port, fragment,
    credentials and tracking parameters removed, dot segments resolved, percent-encoding in its one preferred form.

    Args:
        url: an absolute URL.

    Returns:
        The same page's URL; anything that is not a well-formed http or https URL comes back unchanged.
    """
    parts = _split(url)
    if parts is None:
        return url
    scheme, authority, path, query = parts
    return f"{scheme}://{authority}{path}{'?' + query if query else ''}"


def canonical(url: str) -> str:
    """The identity of a page: `normalise`, without trailing slash with the query in one order and one form.

    Args:
        url: an absolute URL.

    Returns:
        Equal strings for spellings of one page; anything that is not a well-formed http or https URL unchanged.
    """
    parts = _split(url)
    if parts is None:
        return url
    scheme, authority, path, query = parts
    path = path.rstrip("/") or "/"
    plain = _ESCAPED_PLAIN.sub(lambda match: chr(int(match.group()[1:], 16)), query.replace("%20", "+"))
    query = "&".join(sorted(part.removesuffix("=") or "=" for part in plain.split("&"))) if plain else ""
    return f"{scheme}://{authority}{path}{'?' + query if query else ''}"


def is_web(url: str) -> bool:
    """Whether it is a well-formed http or https URL with a host."""
    return _split(url) is not None


def host(url: str) -> str:
    """The host in the form `normalise` gives it, without port; empty when there is none."""
    parts = _split(url)
    return "" if parts is None else _authority_host(parts[1])


def port(url: str) -> int:
    """The port that will be connected to; 0 when the URL is not a web address."""
    parts = _split(url)
    if parts is None:
        return 0
    tail = parts[1][len(_bracketed(_authority_host(parts[1]))) :]
    return int(tail[1:]) if tail else DEFAULT_PORTS[parts[0]]


def site(url: str) -> str:
    """What makes two pages neighbours: host and port, where http and https on their default ports are one site."""
    parts = _split(url)
    return "" if parts is None else parts[1]


def path(url: str) -> str:
    """The normalised path, always starting with a slash; empty when the URL is not a web address."""
    parts = _split(url)
    return "" if parts is None else parts[2]


def twins(key: str) -> tuple[str, ...]:
    """Canonical URLs that usually show the same page: a folder's index pages, an index page's folder."""
    head, question, _ = key.partition("?")
    folder, _, name = head.rpartition("/")
    if question or not is_web(key):
        return ()
    if name in _INDEX_NAMES:
        return (canonical(f"{folder}/"),)
    return (
        tuple(f"{head.rstrip('/')}/{index}" for index in _INDEX_NAMES) if "." not in name or not path(key)[1:] else ()
    )


def join(base: str, reference: str) -> str:
    """The normalised absolute URL of a link on a page; empty when it leads nowhere that can be fetched."""
    try:
        absolute = urljoin(base, _CONTROL.sub("", reference.strip(_EDGES)))
    except ValueError:
        return ""
    return normalise(absolute) if is_web(absolute) else ""


def without_credentials(url: str) -> str:
    """A URL of any scheme without user name and password: what may be stored, shown and logged.

    Args:
        url: absolute; need not be well-formed.

    Returns:
        The same URL where it holds none.
    """
    return split_credentials(url)[0]


def split_credentials(url: str) -> tuple[str, str]:
    """(the URL without user name and password, these as they were written).

    Args:
        url: of any scheme, absolute; need not be well-formed.
    """
    found = _AUTHORITY.match(url)
    if found is None or "@" not in url:
        return url, ""
    scheme, authority, rest = found["scheme"], found["authority"], url[found.end() :]
    if "@" in authority:
        secret, _, bare = authority.rpartition("@")
        return f"{scheme}{bare}{rest}", secret
    number = authority.rpartition(":")[2]
    # A password with a slash in it ends the authority too early, and leaves something that is no port.
    broken = ":" in authority and not authority.endswith("]") and number != "" and not number.isdecimal()
    if not broken or "@" not in rest:
        return url, ""
    secret, _, bare = rest.rpartition("@")
    return f"{scheme}{bare}", authority + secret


def shown(url: str) -> str:
    """A URL for a message: without credentials, scheme or not, and of bounded length."""
    bare = _BARE_AUTHORITY.sub("", without_credentials(url))
    return bare if len(bare) <= _SHOWN else f"{bare[: _SHOWN - 1]}…"


def _split(url: str) -> tuple[str, str, str, str] | None:
    """(scheme, authority, path, query), each in its preferred form; None when this is no web address."""
    if len(url) > _LONGEST:
        return None
    return _remembered(url) if len(url) <= _REMEMBERED else _parts(url)


@lru_cache(maxsize=65_536)
def _remembered(url: str) -> tuple[str, str, str, str] | None:
    return _parts(url)


def _parts(url: str) -> tuple[str, str, str, str] | None:
    cleaned = _CONTROL.sub("", url.strip(_EDGES))
    head = cleaned.partition("#")[0]
    before, _, query = head.partition("?")
    try:
        split = urlsplit(before.replace("\\", "/"))
        scheme = split.scheme.lower()
        if scheme not in DEFAULT_PORTS or not split.netloc:
            return None
        authority = _authority(scheme, split)
    except (ValueError, UnicodeError):
        return None
    if not authority:
        return None
    cleaned_path = _SESSION_SEGMENT.sub("", _encode(split.path, _PATH_SAFE))
    return scheme, authority, _without_dots(cleaned_path), _without_tracking(_encode(query, _QUERY_SAFE))


def _authority(scheme: str, split: SplitResult) -> str:
    name = _host(split.netloc.rpartition("@")[2])
    if not name:
        return ""
    number = split.port
    return _bracketed(name) if number in (None, DEFAULT_PORTS[scheme]) else f"{_bracketed(name)}:{number}"


def _host(netloc: str) -> str:
    if netloc.startswith("["):
        inner, _, tail = netloc[1:].partition("]")
        # A zone id means something on one machine only, and nothing but a port may follow (RFC 3986, 3.2.2).
        return ipaddress.IPv6Address(inner).compressed if "%" not in inner and tail[:1] in ("", ":") else ""
    name = netloc.partition(":")[0]
    if "%" in name:
        name = _percent_decoded(name)
    name = name.lower()
    if not name.isascii():
        import idna

        name = idna.encode(name, uts46=True).decode("ascii")
    # Last, because other scripts have full stops of their own.
    name = name.rstrip(".")
    if not name or len(name) > _LONGEST_HOST or _HOST_FORBIDDEN.search(name):
        return ""
    last = name.rpartition(".")[2]
    return _ipv4(name) if _IPV4_LIKE.fullmatch(last) else name


def _percent_decoded(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text, errors="strict")


def _ipv4(name: str) -> str:
    """Decimal, octal, hexadecimal and short spellings, as URLs allow them (WHATWG URL, 3.5); empty when impossible."""
    numbers = []
    for part in name.split("."):
        if not _IPV4_LIKE.fullmatch(part):
            return ""
        if part[:2].lower() == "0x":
            numbers.append(int(part[2:] or "0", 16))
        elif len(part) > 1 and part.startswith("0"):
            numbers.append(int(part, 8))
        else:
            numbers.append(int(part))
    *heads, last = numbers
    if len(numbers) > 4 or any(number > 255 for number in heads) or last >= 256 ** (5 - len(numbers)):
        return ""
    value = last + sum(number << (8 * (3 - place)) for place, number in enumerate(heads))
    return str(ipaddress.IPv4Address(value))


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _authority_host(authority: str) -> str:
    if authority.startswith("["):
        return authority[1 : authority.index("]")]
    return authority.partition(":")[0]


def _encode(text: str, safe: frozenset[str]) -> str:
    return _TOKEN.sub(lambda match: _token(match.group(), safe), text)


def _token(token: str, safe: frozenset[str]) -> str:
    if len(token) == 3:
        character = chr(int(token[1:], 16))
        return character if character in _UNRESERVED else token.upper()
    if token in safe:
        return token
    return "".join(f"%{byte:02X}" for byte in token.encode("utf-8", "replace"))


def _without_dots(text: str) -> str:
    """Dot segments resolved (RFC 3986, 5.2.4); always starts with a slash."""
    kept: list[str] = []
    segments = text.split("/")[1:] if text.startswith("/") else text.split("/")
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _without_tracking(query: str) -> str:
    return "&".join(part for part in query.split("&") if part and not _tracks(_parameter_name(part)))


def _parameter_name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _tracks(name: str) -> bool:
    lowered = name.lower()
    return lowered in _TRACKING or lowered.startswith(_TRACKING_PREFIXES)
