"""One spelling for one page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.text.urls import (
    canonical,
    host,
    is_web,
    join,
    normalise,
    path,
    port,
    shown,
    site,
    twins,
    without_credentials,
)

SPELLINGS = {
    "HTTP://User:secret@Example.COM:80/a/./b/../c/?utm_source=x&b=2&a=1#part": "http://example.com/a/c?a=1&b=2",
    "https://example.com:443": "https://example.com/",
    "http://example.com:8080/": "http://example.com:8080/",
    "http://example.com:/": "http://example.com/",
    "http://example.com./": "http://example.com/",
    "http://example.com/%7euser/%e4": "http://example.com/~user/%E4",
    "http://example.com/a b": "http://example.com/a%20b",
    "http://example.com/50%": "http://example.com/50%25",
    "http://example.com/%2e%2e/x": "http://example.com/x",
    "http://example.com/a%2Fb": "http://example.com/a%2Fb",
    "http://bücher.example/ü?q=ü b": "http://xn--bcher-kva.example/%C3%BC?q=%C3%BC+b",
    "http://example.com?&&a=1&": "http://example.com/?a=1",
    "http://example.com/?fbclid=1&GCLID=2&UTM_medium=m": "http://example.com/",
    "http://example.com/x;jsessionid=AF12?y=1": "http://example.com/x?y=1",
    "http:\\\\example.com\\a": "http://example.com/a",
    " http://exam\nple.com/a\tb ": "http://example.com/ab",
    "http://example.com/?b=2&a=2&a=1": "http://example.com/?a=1&a=2&b=2",
    "http://example.com/?u=http%3A%2F%2Fe.com%2Fx&b=&c": "http://example.com/?b&c&u=http://e.com/x",
    "http://example.com/?a=1%262&b=%2B": "http://example.com/?a=1%262&b=%2B",
    "http://[2001:DB8:0:0::1]:80/": "http://[2001:db8::1]/",
}


@pytest.mark.parametrize(("given_url", "expected"), SPELLINGS.items())
def test_spellings_of_one_page(given_url, expected):
    assert canonical(given_url) == expected


@pytest.mark.parametrize("address", ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7F.1"])
def test_every_spelling_of_an_ipv4_address_is_that_address(address):
    assert host(f"http://{address}/") == "127.0.0.1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "page.html",
        "mailto:a@example.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://",
        "http:///path",
        "http://a b/",
        "http://example.com:99999/",
        "http://example.com:x/",
        "http://[::1/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
    ],
)
def test_what_is_no_web_address_comes_back_unchanged(url):
    assert (canonical(url), normalise(url), is_web(url), host(url), site(url), port(url)) == (
        url,
        url,
        False,
        "",
        "",
        0,
    )


def test_requests_keep_what_servers_tell_apart():
    assert normalise("http://example.com/docs/?b=1&a=2#x") == "http://example.com/docs/?b=1&a=2"
    assert canonical("http://example.com/docs/") == canonical("http://example.com/docs")


def test_different_pages_stay_different():
    pages = ["http://e.com/a", "http://e.com/A", "https://e.com/a", "http://e.com/a?x=1", "http://e.com/a?x=2"]
    assert len({canonical(page) for page in pages}) == len(pages)


def test_site_is_host_and_port_with_http_and_https_together():
    assert site("http://Example.com/a") == site("https://example.com:443/b") == "example.com"
    assert site("http://example.com:8080/") != site("http://example.com/")
    assert (port("https://e.com/"), port("http://[::1]:81/"), path("http://e.com")) == (443, 81, "/")


def test_join_resolves_links_and_refuses_what_cannot_be_fetched():
    assert join("http://e.com/a/b.html", " ../c?d#e ") == "http://e.com/c?d"
    assert join("http://e.com/a/", "//other.org/x") == "http://other.org/x"
    assert [
        join("http://e.com/", link) for link in ("mailto:a@b.c", "javascript:void(0)", "http://[bad", "data:,x")
    ] == [""] * 4


def test_a_folder_and_its_index_page_are_twins():
    assert twins("http://e.com/docs/index.html") == ("http://e.com/docs",)
    assert "http://e.com/docs/index.html" in twins("http://e.com/docs")
    assert "http://e.com/index.html" in twins("http://e.com/")
    assert twins("http://e.com/docs/page.html") == twins("http://e.com/docs?page=1") == ()


_URL = st.builds(
    lambda scheme, name, number, tail: f"{scheme}://{name}{number}/{tail}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["example.com", "Bücher.example", "127.1", "[::1]", "u:p@host", "0x7f.1", "a..b", "xn--a"]),
    st.sampled_from(["", ":80", ":443", ":8080", ":"]),
    st.text(st.sampled_from("abAB/.%2eE5fF?&=+#;: \\üツ\t"), max_size=30),
)


@given(_URL | st.text(max_size=40))
def test_both_forms_are_idempotent_and_agree(url):
    assert normalise(normalise(url)) == normalise(url)
    assert canonical(canonical(url)) == canonical(url)
    assert canonical(normalise(url)) == canonical(url)
    assert site(canonical(url)) == site(url)


@given(_URL)
def test_no_secret_fragment_or_blank_survives(url):
    form = canonical(url)
    if is_web(url):
        assert not set(form) & set("#@ \\\t") and form.isascii()


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("http://u:p@h/x@y", "http://h/x@y"),
        ("http:\\\\u:p@h\\x", "http:\\\\h\\x"),
        ("ftp://u:p@h/", "ftp://h/"),
        ("elasticsearch+http://u:p@h:9200", "elasticsearch+http://h:9200"),
        ("http://u:p/w@h/x", "http://h/x"),
        ("http://u:p#w@h/x", "http://h/x"),
        ("http:/u:p@h/x", "http:/h/x"),
        ("//u:p@h/x", "//h/x"),
        ("http://a@b@h/", "http://h/"),
        ("http://u@[::1]:8/@x", "http://[::1]:8/@x"),
        *(
            (url, url)
            for url in ("http://h/@me", "http://h:80/@me", "a@b.c", "mailto:a@b.c", "/home/a@b/c", "file:///a@b")
        ),
    ],
)
def test_credentials_are_taken_out_and_nothing_else(given_url, expected):
    assert without_credentials(given_url) == expected


def test_what_is_shown_of_an_address_is_bounded_and_holds_no_credentials():
    assert shown("u:p@h/x") == "h/x" and shown("http://u:p@h/") == "http://h/"
    assert len(shown("http://h/" + "a" * 5_000)) == 300


@pytest.mark.parametrize(("dots", "expected"), [("。", True), ("．", True), ("｡", True), ("..", True), ("。。", False)])
def test_full_stops_at_the_end_of_a_name_are_dropped_in_every_script(dots, expected):
    assert (host(f"http://example.com{dots}/") == "example.com") is expected


@pytest.mark.parametrize(
    "url", ["http://[::1%25lo]/", "http://[::1]x/", "http://[::1].e.com/", "http://" + "a." * 140 + "com/"]
)
def test_hosts_that_are_none(url):
    assert not is_web(url)


def test_an_address_longer_than_any_server_takes_is_none():
    assert is_web("http://e.com/" + "a" * 4_000) and not is_web("http://e.com/" + "a" * 5_000)
