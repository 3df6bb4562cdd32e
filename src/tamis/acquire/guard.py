"""The network guard: which addresses may be connected to, decided where the address is finally known (S7).

It is a network backend below the HTTP client, so that every request, redirect and retry passes through it. A name is
resolved once, every address it resolves to is checked, and the connection is made to a checked address: a name that
answers differently a second time gains nothing. TLS and the Host header still carry the name.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

import httpcore
from httpcore import SOCKET_OPTION, AsyncNetworkBackend, AsyncNetworkStream

from tamis.acquire.wire import Wire, WireLimits
from tamis.errors import FetchError, RefusedAddressError
from tamis.text import urls

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""(host, port) → addresses in the order to try."""

# Ranges of the special-purpose registries (RFC 6890 and its successors), with what a user would call them.
_FORBIDDEN_4 = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "carrier-grade NAT",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "cloud metadata",
    "169.254.0.0/16": "link-local (cloud metadata lives here)",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
_FORBIDDEN_6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "private",
    "ff00::/8": "multicast",
    "2001::/23": "reserved for protocols, Teredo among them",
    "2001:db8::/32": "documentation",
    "3fff::/20": "documentation",
}
_NETWORKS = [(ipaddress.ip_network(text), kind) for text, kind in (_FORBIDDEN_4 | _FORBIDDEN_6).items()]
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)

# Ports of services that are no web servers and may be made to do something by a request for a page (the "bad ports" of
# the WHATWG Fetch standard), and the databases and control ports usually met beside them.
_FORBIDDEN_PORTS = frozenset(
    int(port)
    for port in """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
    135 137 139 143 161 179 389 427 445 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993
    995 1719 1720 1723 2049 2375 2376 2379 3306 3389 3659 4045 4190 5060 5061 5432 6000 6379 6566 6665 6666 6667 6668
    6669 6679 6697 10080 11211 27017
    """.split()
)


def refusal(address: str) -> str:
    """Why an address may not be connected to.

    Args:
        address: an IPv4 or IPv6 literal, a scope id allowed.

    Returns:
        What kind of address it is, empty when it is a public one.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    for network, kind in _NETWORKS:
        if parsed.version == network.version and parsed in network:
            return kind
    if isinstance(parsed, ipaddress.IPv4Address):
        return ""
    for inner in _embedded(parsed):
        kind = refusal(str(inner))
        if kind:
            return f"{kind}, as {inner}"
    return "" if parsed in _GLOBAL_6 or parsed in _TRANSLATED or parsed.ipv4_mapped else "reserved"


def _embedded(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that a tunnel or translator would go on to."""
    low = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    found = [inner for inner in (address.ipv4_mapped, address.sixtofour) if inner is not None]
    if address in _TRANSLATED or address in _COMPATIBLE or (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        found.append(low)
    return found


async def resolve(host: str, port: int) -> Sequence[str]:
    """The system's resolver, off the event loop."""
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def _named(host: str) -> tuple[str, int]:
    """(host as `urls.normalise` spells it, port or 0) of what a user allows: ``name``, ``name:port``, or a URL."""
    text = host.strip()
    text = text.partition("//")[2] or text
    bare = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
    # The port of a scheme that is not named is none: a site without one would lose its ``:80``.
    name, mark, number = bare.rpartition(":") if not bare.endswith("]") else (bare, "", "")
    if mark and number.isdecimal():
        return urls.host(f"http://{name}/") or name, int(number)
    return urls.host(f"http://{bare}/") or text.lower(), 0


async def _same_peer(stream: AsyncNetworkStream, host: str, address: str) -> None:
    """Whether the socket is connected to the address that was checked.

    Raises:
        RefusedAddressError: it is not; the connection is closed.
    """
    peer = stream.get_extra_info("server_addr")
    reached = str(peer[0]) if peer else "an unknown address"
    if _comparable(reached) != _comparable(address):
        await stream.aclose()
        raise RefusedAddressError(f"{host} was checked at {address}, but the connection leads to {reached}")


def _comparable(address: str) -> str:
    """One spelling for one address; a scope id is left out."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).compressed
    except ValueError:
        return address


class GuardedBackend(AsyncNetworkBackend):
    """Connects to checked addresses only.

    Args:
        allow_hosts: hosts (``name`` or ``name:port``) that may lie at any address and any port.
        limits: what one answer may come to.
        resolver: finds the addresses of a name.
        inner: makes the connection once the address is known.
    """

    def __init__(
        self,
        allow_hosts: Iterable[str] = (),
        *,
        limits: WireLimits,
        resolver: Resolve = resolve,
        inner: AsyncNetworkBackend | None = None,
    ) -> None:
        self._allowed = frozenset(_named(name) for name in allow_hosts)
        self._limits = limits
        self._resolve = resolver
        self._inner = inner if inner is not None else httpcore.AnyIOBackend()

    def allows(self, host: str, port: int) -> bool:
        """Whether the user named this host, with this port or with none."""
        name = _named(host)[0]
        return not self._allowed.isdisjoint({(name, 0), (name, port)})

    async def checked(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host, each of them allowed.

        Raises:
            RefusedAddressError: one of the addresses is not public, or the port no web server's, and the host was not
                allowed by name.
            FetchError: the name does not resolve.
        """
        allowed = self.allows(host, port)
        if port in _FORBIDDEN_PORTS and not allowed:
            raise RefusedAddressError(
                f"port {port} of {host} is not one that web pages are served at",
                fix=f"If you mean it, allow it by name: --allow-host {host}:{port}",
            )
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise FetchError(
                f"{host} cannot be resolved: {error}", fix="Check the spelling and the network connection."
            ) from error
        if not addresses:
            raise FetchError(f"{host} cannot be resolved: no address", fix="Check the spelling.")
        if not allowed:
            for address in addresses:
                kind = refusal(address)
                if kind:
                    raise RefusedAddressError(
                        f"{host} is at {address}, which is not a public address ({kind})",
                        fix=f"If you mean it, allow it by name: --allow-host {host}",
                    )
        return addresses

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to the first checked address that answers.

        Raises:
            RefusedAddressError: as `checked`, or the connection leads to another address than asked for.
        """
        addresses = await self.checked(host, port)
        for address in addresses:
            try:
                stream = await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if address == addresses[-1]:
                    raise
                continue
            break
        await _same_peer(stream, host, address)
        return Wire(stream, self._limits)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002 - the signature is httpcore's
        socket_options: Iterable[SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> AsyncNetworkStream:
        """Never: a URL must not reach a local socket.

        Raises:
            RefusedAddressError: always.
        """
        raise RefusedAddressError(f"local socket {path} may not be fetched from")

    async def sleep(self, seconds: float) -> None:
        """Wait, as the client asks between its own attempts."""
        await self._inner.sleep(seconds)
