from __future__ import annotations

from typing import Any, Iterator

import pytest

from support.servers import ProviderLike, WeirLike
from support.service import Service, running
from weir_sdk import AsyncWeirApi, Weir, WeirApi


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups tests that start the service, build the package or check types.

    A group runs on one worker, so that each of these things is done only once.
    """
    for item in items:
        for fixture in ("service", "matrix_service", "mortal", "built"):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(fixture))
        if item.path.name == "test_types.py":
            item.add_marker(pytest.mark.xdist_group("types"))


@pytest.fixture(scope="session")
def one_door() -> Iterator[WeirLike]:
    server = WeirLike()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def one_provider() -> Iterator[ProviderLike]:
    server = ProviderLike()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """The built service."""
    yield from running()


@pytest.fixture(params=[WeirApi, AsyncWeirApi], ids=["sync", "async"])
def api_kind(request: pytest.FixtureRequest) -> Any:
    """The class of the client of the whole API: each test runs with the sync one and with the async one."""
    return request.param


@pytest.fixture
def door(one_door: WeirLike, monkeypatch: pytest.MonkeyPatch) -> WeirLike:
    """A server with Weir's API and configurable faults; the environment variables refer to it."""
    monkeypatch.setenv("WEIR_BASE_URL", one_door.url)
    monkeypatch.setenv("WEIR_API_KEY", "sk_test")
    one_door.fault = None
    one_door.violations = []
    # Reports of an earlier test must not be counted in this one.
    assert Weir().flush(60_000)
    one_door.reset()
    return one_door


@pytest.fixture
def provider(one_provider: ProviderLike) -> ProviderLike:
    one_provider.reset()
    one_provider.script = []
    return one_provider


@pytest.fixture
def openai_client(provider: ProviderLike) -> Any:
    import openai

    return openai.OpenAI(api_key="provider-key", base_url=f"{provider.url}/v1", max_retries=0)
