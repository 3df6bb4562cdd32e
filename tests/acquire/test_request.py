"""What a user asks of one crawl."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields

import pytest

from tamis.acquire.request import CrawlRequest
from tamis.cli.crawl import command
from tamis.collection import Collection
from tamis.errors import UsageError
from tamis.settings import CrawlSettings, FetchSettings

URL = "http://example.com/"


def test_what_is_not_asked_is_left_to_the_settings():
    settings = CrawlSettings(depth=7, max_pages=9, delay_seconds=2.0, concurrency=3, sitemap=False)
    assert CrawlRequest(URL).over(settings) == settings
    asked = CrawlRequest(URL, depth=0, max_pages=1, delay=0.0, concurrency=8).over(settings)
    assert (asked.depth, asked.max_pages, asked.delay_seconds, asked.concurrency, asked.sitemap) == (
        0,
        1,
        0.0,
        8,
        False,
    )


def test_hosts_are_allowed_beside_those_of_the_settings():
    assert CrawlRequest(URL, allow_hosts=("b",)).allowed(FetchSettings(allow_hosts=("a",))).allow_hosts == ("a", "b")


@pytest.mark.parametrize("asked", [{"depth": -1}, {"max_pages": 0}, {"delay": -1.0}, {"concurrency": 0}])
def test_numbers_out_of_range_are_named(asked):
    (name,) = asked
    with pytest.raises(UsageError, match=name):
        CrawlRequest(URL, **asked).over(CrawlSettings())


def test_it_holds_no_credentials_and_does_not_change():
    request = CrawlRequest("http://user:secret@example.com/a?b#c")
    assert request.url == "http://example.com/a?b#c" and "secret" not in repr(request)
    with pytest.raises(FrozenInstanceError):
        request.url = "http://example.org/"


@pytest.mark.parametrize("url", ["ftp://user:secret@example.com/", "user:secret@example.com", "", "/tmp"])
def test_a_start_that_is_no_address(url):
    with pytest.raises(UsageError, match="not an http or https address") as caught:
        CrawlRequest(url)
    assert "secret" not in str(caught.value)


def test_every_door_asks_for_the_same_things():
    names = {field.name for field in fields(CrawlRequest)}
    assert names == set(inspect.signature(Collection.crawl).parameters) - {"self", "progress"}
    assert names == {option.name for option in command.params} - {"name", "as_json", "quiet", "debug"}
