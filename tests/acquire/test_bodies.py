"""Decompression with a lid on."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.acquire.bodies import Body, gunzip
from tamis.errors import FetchError


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": brotli.compress,
    "identity": lambda data: data,
}


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=2_000), st.integers(1, 50))
def test_any_cut_gives_the_same_body(name, data, step):
    packed = PACKERS[name](data)
    body = Body(name.removeprefix("raw "), max_bytes=2_000, name="page")
    for start in range(0, len(packed), step):
        body.feed(packed[start : start + step])
    assert body.close() == data


@given(st.sampled_from(["gzip", "deflate", "br"]), st.binary(min_size=1, max_size=200))
def test_garbage_is_an_error_or_empty_never_a_crash(coding, data):
    body = Body(coding, max_bytes=100_000, name="page")
    try:
        body.feed(data)
        body.close()
    except FetchError as error:
        assert "page" in error.message


def test_the_limit_is_exact():
    packed = gzip.compress(bytes(1_000))
    assert len(gunzip(packed, max_bytes=1_000, name="x")) == 1_000
    with pytest.raises(FetchError, match="999 bytes"):
        gunzip(packed, max_bytes=999, name="x")


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("size", [262_143, 262_144, 262_145, 262_400, 524_288, 1_000_003])
def test_bodies_longer_than_one_step(name, size):
    body = Body(name.removeprefix("raw "), max_bytes=2_000_000, name="page")
    body.feed(PACKERS[name](bytes(size)))
    assert body.close() == bytes(size)


def test_members_one_after_another_and_padding():
    assert gunzip(gzip.compress(b"one") + gzip.compress(b"two") + bytes(8), max_bytes=100, name="x") == b"onetwo"


@pytest.mark.parametrize("coding", ["zstd", "gzip, br", "compress"])
def test_unknown_codings_are_named(coding):
    with pytest.raises(FetchError, match="encoded as"):
        Body(coding, max_bytes=10, name="page")


def test_a_body_may_be_cut_at_the_limit_packed_or_not():
    for encoding, data in (("", b"a" * 100), ("gzip", gzip.compress(b"a" * 100))):
        body = Body(encoding, max_bytes=30, name="x", cut=True)
        body.feed(data)
        assert body.full and body.close() == b"a" * 30
    whole = Body("gzip", max_bytes=30, name="x", cut=True)
    whole.feed(gzip.compress(b"a" * 20))
    assert not whole.full and whole.close() == b"a" * 20


def test_packed_bytes_that_unpack_to_nothing_count_too():
    body = Body("gzip", max_bytes=1_000, name="x")
    with pytest.raises(FetchError, match="longer than 1,000 bytes"):
        for _ in range(100):
            body.feed(gzip.compress(b""))


def test_a_body_of_millions_of_pieces_takes_no_more_memory_than_its_bytes():
    tracemalloc.start()
    body = Body("", max_bytes=2_000_000, name="x")
    for _ in range(60_000):
        body.feed(bytes(3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(body.close()) == 180_000 and peak < 600_000
