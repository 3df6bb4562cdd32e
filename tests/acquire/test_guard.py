"""Which addresses may be connected to."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import HOST, open_fetcher, reply, serve

from tamis.acquire.fetch import Fetcher
from tamis.acquire.guard import GuardedBackend, refusal
from tamis.errors import FetchError, RefusedAddressError
from tamis.settings import FetchSettings

FORBIDDEN = """
    0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1
    192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 3fff::1 100::1 64:ff9b:1::1 4000::1
    ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe::
    64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2001:0:808:808:8000:63bf:80ff:fffe 2606:4700::5efe:7f00:1
""".split()
PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255
    2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 2002:808:808:: 64:ff9b::808:808
""".split()


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


@given(st.ip_addresses(v=4))
def test_never_more_lenient_than_the_standard_library(address):
    if not address.is_global or address.is_multicast:
        assert refusal(str(address))


def backend(answers: list[list[str]], allow: tuple[str, ...] = ()) -> tuple[GuardedBackend, list[str]]:
    """A guard over a name server that answers differently every time, and a record of what was connected to."""
    connected: list[str] = []

    async def resolver(_host, _port):
        return answers.pop(0)

    class Wire:
        async def connect_tcp(self, host, port, *rest):
            connected.append(host)
            return host

    return GuardedBackend(allow, resolver=resolver, inner=Wire()), connected


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
        asyncio.run(GuardedBackend().connect_unix_socket("/run/docker.sock"))


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
