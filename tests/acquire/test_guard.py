"""Which addresses may be connected to."""

from __future__ import annotations

import asyncio
import ipaddress

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import HOST, open_fetcher, reply, serve

from tamis.acquire.fetch import Fetcher
from tamis.acquire.guard import GuardedBackend, refusal
from tamis.acquire.wire import WireLimits
from tamis.errors import FetchError, RefusedAddressError
from tamis.settings import FetchSettings

FORBIDDEN = """
    0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1
    192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 3fff::1 100::1 64:ff9b:1::1 4000::1
    168.63.129.16 ::ffff:168.63.129.16 2001::1 2001:2::1 2001:10::1 2001:20::1 5f00::1 1.2.3 nonsense 0x7f.1
    ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe::
    64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2001:0:808:808:8000:63bf:80ff:fffe 2606:4700::5efe:7f00:1
""".split()
PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255
    2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 2002:808:808:: 64:ff9b::808:808
""".split()


FORBIDDEN_RANGES = """
    ::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
    fc00::/7 fe80::/10 fec0::/10 ff00::/8 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
    192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4
""".split()
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@pytest.mark.parametrize("address", FORBIDDEN)
def test_refused(address):
    assert refusal(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address):
    assert refusal(address) == ""


@given(st.ip_addresses(v=4))
def test_every_way_of_embedding_an_address_is_judged_like_the_address(inner):
    verdict = bool(refusal(str(inner)))
    number = int(inner)
    for outer in (
        (0xFFFF << 32) | number,
        (0x2002 << 112) | (number << 80),
        (0x64FF9B << 96) | number,
    ):
        assert bool(refusal(str(ipaddress.IPv6Address(outer)))) == verdict


@given(st.ip_addresses(v=6) | st.sampled_from(FORBIDDEN_RANGES).flatmap(lambda net: st.ip_addresses(network=net)))
def test_no_special_purpose_range_is_public(address):
    # What only translates or tunnels is judged by the address inside it, which the table above covers.
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.sixtofour or address in NAT64):
        return
    if (
        address.is_private
        or address.is_reserved
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    ):
        assert refusal(str(address))


@given(st.ip_addresses(v=4))
def test_never_more_lenient_than_the_standard_library(address):
    if not address.is_global or address.is_multicast:
        assert refusal(str(address))


LIMITS = WireLimits(65_536, 1_000_000)


class Stream:
    """A connection to one address, open until it is closed."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.closed = False

    def get_extra_info(self, info):
        return (self.peer, 80) if info == "server_addr" else None

    async def aclose(self):
        self.closed = True


def backend(
    answers: list[list[str]], allow: tuple[str, ...] = (), leads_to: dict[str, str] | None = None
) -> tuple[GuardedBackend, list[str]]:
    """A guard over a name server that answers differently every time, and a record of what was connected to."""
    connected: list[str] = []

    async def resolver(_host, _port):
        return answers.pop(0)

    class Wire:
        async def connect_tcp(self, host, port, *rest):
            connected.append(host)
            if host.endswith(".99"):
                raise httpcore.ConnectError("nobody there")
            return Stream((leads_to or {}).get(host, host))

    return GuardedBackend(allow, limits=LIMITS, resolver=resolver, inner=Wire()), connected


def test_the_checked_address_is_the_one_connected_to():
    guard, connected = backend([["93.184.216.34"], ["127.0.0.1"]])
    asyncio.run(guard.connect_tcp("rebinding.example", 80))
    with pytest.raises(RefusedAddressError):
        asyncio.run(guard.connect_tcp("rebinding.example", 80))
    assert connected == ["93.184.216.34"]


def test_one_forbidden_address_among_public_ones_refuses_the_host():
    guard, connected = backend([["93.184.216.34", "10.0.0.5"]])
    with pytest.raises(RefusedAddressError) as caught:
        asyncio.run(guard.connect_tcp("inside.example", 80))
    assert connected == []
    assert "inside.example" in caught.value.message and "10.0.0.5" in caught.value.message
    assert "--allow-host inside.example" in caught.value.fix


@pytest.mark.parametrize(
    ("allowed", "port", "lets_in"),
    [
        ("nas.example", 80, True),
        ("NAS.example.", 80, True),
        ("nas.example:8080", 8080, True),
        ("nas.example:8080", 80, False),
        ("http://nas.example/", 80, True),
        ("nas。example", 80, True),
        ("nas.example:22", 22, True),
        ("nas.example", 22, True),
        ("nas.example:23", 22, False),
        ("example", 80, False),
        ("*.example", 80, False),
        ("other.example", 80, False),
        ("10.0.0.5", 80, False),
    ],
)
def test_a_host_is_allowed_by_its_name_only(allowed, port, lets_in):
    guard, connected = backend([["10.0.0.5"]], (allowed,))
    if lets_in:
        asyncio.run(guard.connect_tcp("nas.example", port))
        assert connected == ["10.0.0.5"]
    else:
        with pytest.raises(RefusedAddressError):
            asyncio.run(guard.connect_tcp("nas.example", port))


def test_a_name_that_does_not_resolve_is_a_fetch_error():
    guard, _ = backend([[]])
    with pytest.raises(FetchError, match=r"nowhere\.example"):
        asyncio.run(guard.connect_tcp("nowhere.example", 80))


def test_local_sockets_are_never_connected_to():
    with pytest.raises(RefusedAddressError):
        asyncio.run(GuardedBackend(limits=LIMITS).connect_unix_socket("/run/docker.sock"))


def test_a_connection_that_leads_elsewhere_is_closed():
    guard, _ = backend([["93.184.216.34"]], leads_to={"93.184.216.34": "10.0.0.5"})
    with pytest.raises(
        RefusedAddressError, match=r"checked at 93\.184\.216\.34, but the connection leads to 10\.0\.0\.5"
    ):
        asyncio.run(guard.connect_tcp("tunnel.example", 80))


def test_the_next_checked_address_is_tried_and_no_other():
    guard, connected = backend([["93.184.216.99", "93.184.216.34"]])
    asyncio.run(guard.connect_tcp("two.example", 80))
    assert connected == ["93.184.216.99", "93.184.216.34"]


@pytest.mark.parametrize("port", [0, 22, 25, 6379, 5432, 11211, 27017])
def test_ports_of_other_services_are_refused_before_the_name_is_looked_up(port):
    guard, connected = backend([])
    with pytest.raises(RefusedAddressError, match=rf"port {port} .*not one that web pages") as caught:
        asyncio.run(guard.connect_tcp("public.example", port))
    assert connected == [] and f"--allow-host public.example:{port}" in caught.value.fix


@pytest.mark.parametrize("port", [80, 443, 81, 3000, 5000, 8000, 8080, 8443, 9200, 65535])
def test_ports_of_web_servers_are_open(port):
    guard, connected = backend([["93.184.216.34"]])
    asyncio.run(guard.connect_tcp("public.example", port))
    assert connected == ["93.184.216.34"]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_the_socket_is_connected_to_the_address_that_was_checked(address):
    """The real backend and a real socket; the name resolves to somewhere else when asked again."""
    answers = [[address], ["192.0.2.1"], ["192.0.2.1"]]

    async def resolver(_host, _port):
        return answers.pop(0)

    async def run():
        server = await asyncio.start_server(lambda _reader, writer: writer.close(), address, 0)
        port = server.sockets[0].getsockname()[1]
        guard = GuardedBackend(("rebinding.example",), limits=LIMITS, resolver=resolver)
        stream = await guard.connect_tcp("rebinding.example", port, timeout=5)
        peer = stream.get_extra_info("socket").getpeername()
        await stream.aclose()
        server.close()
        return peer[:2], (address, port), len(answers)

    try:
        peer, expected, left = asyncio.run(run())
    except OSError:
        pytest.skip(f"no {address} on this machine")
    assert peer == expected and left == 2, "asked once, and connected to that answer"


def test_the_guard_stands_in_front_of_real_requests():
    async def run() -> list[str]:
        reached: list[str] = []

        async def handler(request, writer):
            reached.append(request.path)
            reply(writer, body=b"secret")

        async with serve(handler) as base:
            number = base.rpartition(":")[2]
            async with Fetcher(FetchSettings()) as fetcher:
                for name in (HOST, "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "127.0.0.2"):
                    with pytest.raises(RefusedAddressError):
                        await fetcher.get(f"http://{name}:{number}/{name}")
        return reached

    assert asyncio.run(run()) == []


def test_a_proxy_in_the_environment_is_not_used(monkeypatch):
    async def run() -> bytes:
        async def handler(_request, writer):
            reply(writer, body=b"direct")

        async with serve(handler) as base, open_fetcher() as fetcher:
            return (await fetcher.get(base + "/")).body

    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert asyncio.run(run()) == b"direct"
