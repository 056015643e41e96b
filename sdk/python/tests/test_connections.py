"""Connections to Weir: early refusals, time limits, certificates, proxies, and clients that share them."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import json
import socket
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import httpx
import openai
import pytest

from support.both import go
from support.faults import is_question
from support.servers import LocalServer, ProviderLike, Seen, WeirLike
from weir_sdk import Weir, WeirConfigError, weir
from weir_sdk._async_http import AsyncHttp
from weir_sdk._http import Http
from weir_sdk._origin import Origin

CLIENTS: dict[str, Any] = {"sync": openai.OpenAI, "async": openai.AsyncOpenAI}
every_client = pytest.mark.parametrize("name", list(CLIENTS))
every_mode = pytest.mark.parametrize("mode", ["closed", "open"])
#: The limit of a call with a deadline of 1 s: it detects hanging, and is not a measurement.
HANGS_AFTER_SECONDS = 20
#: A host that only these tests resolve.
HOST = "weir.test"


def made(name: str, provider: ProviderLike, **options: Any) -> Any:
    client = CLIENTS[name](api_key="k", base_url=f"{provider.url}/v1", max_retries=0)
    return weir(client, **{"deadline_ms": 60_000, "on_warning": lambda text: None, **options})


async def ask(client: Any, text: str = "hi") -> Any:
    return await go(client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}]))


WEIRS_OWN = json.dumps({"error": {"type": "payload_too_large", "message": "This body is too large", "trace_id": "t-1"}})


@pytest.fixture(params=[WEIRS_OWN, "<html>too large</html>"], ids=["of Weir", "of a gateway"])
def curt(request: Any) -> Iterator[str]:
    """The address of a server that answers 413 after the head of a request, and closes without reading the body."""
    listening = socket.create_server(("127.0.0.1", 0))
    head = f"HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\ncontent-length: {len(request.param)}\r\n\r\n"

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall((head + request.param).encode())

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@every_mode
@every_client
async def test_a_body_that_is_refused_before_it_is_read_is_not_an_outage(
    name: str, mode: str, curt: str, door: WeirLike, provider: ProviderLike
) -> None:
    with pytest.raises(openai.APIStatusError, match="too large") as refused:
        await ask(made(name, provider, base_url=curt, fail_mode=mode), "x" * 30_000_000)
    assert refused.value.status_code == 413 and provider.requests == []


async def test_closing_an_async_client_leaves_the_requests_of_others_alone(door: WeirLike, provider: ProviderLike) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(handler: Any, seen: Seen) -> bool:
        if is_question(seen):
            asked.set()
            go_on.wait(60)
        return False

    door.fault = slow
    first, second = (made("async", provider, max_retries=0) for _ in range(2))
    call = asyncio.create_task(ask(first))
    assert await asyncio.to_thread(asked.wait, 60)
    await second.close()
    go_on.set()
    assert (await call).choices[0].message.content == "Hello there"


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WeirLike]:
    """A Weir whose certificate is signed by an authority that only the system knows."""
    certificate, key = _certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    default = ssl.create_default_context

    def of_the_system(*given: Any, **named: Any) -> ssl.SSLContext:
        found = default(*given, **named)
        if not any(named.get(each) for each in ("cafile", "capath", "cadata")):
            found.load_verify_locations(certificate)
        return found

    monkeypatch.setattr(ssl, "create_default_context", of_the_system)
    server = WeirLike()
    server.socket = context.wrap_socket(server.socket, server_side=True)
    yield server
    server.stop()


def _certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Weir of a company")])
    now = datetime.datetime.now(datetime.timezone.utc)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return certificate, private


@every_client
async def test_certificates_of_the_system_are_trusted(
    name: str, company: WeirLike, door: WeirLike, provider: ProviderLike
) -> None:
    await ask(made(name, provider, base_url=company.url.replace("http:", "https:")))
    assert len(company.asked) == len(provider.requests) == 1


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
@every_client
async def test_the_proxy_of_the_environment_is_used(
    name: str, variable: str, door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[str] = []
    # A host of its own, because clients of one address share their connections.
    host = f"{name}-{variable.replace('_', '-')}.test"

    def forwarded(handler: Any, seen: Seen) -> None:
        came.append(seen.path)
        seen.path = urlsplit(seen.path).path
        door.answer(handler, seen)

    proxy = LocalServer(forwarded)
    monkeypatch.setenv(variable, proxy.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    try:
        await ask(made(name, provider, base_url=f"http://{host}"))
        assert Weir(base_url=f"http://{host}").flush(60_000)
    finally:
        proxy.stop()
    # The question, and the report.
    assert [urlsplit(each).hostname for each in came] == [host, host] and len(provider.requests) == 1


@pytest.mark.parametrize("scheme", ["socks5", "https"])
def test_an_unsupported_proxy_is_reported_without_its_password(
    scheme: str, door: WeirLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "of-the-" + "proxy-4711"
    monkeypatch.setenv("all_proxy", f"{scheme}://user:{password}@proxy.test:1080")
    with pytest.raises(WeirConfigError, match="is not an http:// proxy") as refused:
        Weir(base_url=f"http://{scheme}.test")
    assert password not in str(refused.value)
    monkeypatch.setenv("no_proxy", f"{scheme}.test")
    assert Weir(base_url=f"http://{scheme}.test").flush()


def test_no_proxy_can_name_the_host_with_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", "weir.test:8080,[::1]")
    proxies = [Origin(f"http://{each}", None).proxy for each in ("weir.test:8080", "[::1]:8080", "weir.test:8081")]
    assert proxies == [None, None, "http://proxy.test:3128"]


@every_client
async def test_white_space_around_the_address_is_no_outage(name: str, door: WeirLike, provider: ProviderLike) -> None:
    # As of a file that the variable was read from.
    await ask(made(name, provider, base_url=f" {door.url}/ \n", fail_mode="open"))
    assert len(door.asked) == len(provider.requests) == 1


def _resolve(monkeypatch: pytest.MonkeyPatch, found: Any) -> None:
    """Resolves `HOST` by a function."""
    real = socket.getaddrinfo

    def resolved(host: Any, port: Any, family: int = 0, kind: int = 0, protocol: int = 0, flags: int = 0) -> Any:
        if host in (HOST, HOST.encode()):
            if flags & socket.AI_NUMERICHOST:
                raise socket.gaierror(socket.EAI_NONAME, "not a number")
            return found(port)
        return real(host, port, family, kind, protocol, flags)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)


@every_mode
@every_client
async def test_a_slow_lookup_of_the_host_ends_at_the_deadline(
    name: str, mode: str, door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()

    def slow(port: int) -> Any:
        answered.wait(2 * HANGS_AFTER_SECONDS)
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    _resolve(monkeypatch, slow)
    client = made(name, provider, base_url=f"http://{HOST}:8080", fail_mode=mode, deadline_ms=300)
    started = time.monotonic()
    try:
        if mode == "open":
            await ask(client)
        else:
            with pytest.raises(openai.InternalServerError, match="in time"):
                await ask(client)
        assert time.monotonic() - started < HANGS_AFTER_SECONDS
    finally:
        answered.set()
    assert len(provider.requests) == (1 if mode == "open" else 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ignores connections when the queue of a listener is full")
@every_client
async def test_an_address_that_never_answers_does_not_use_up_the_deadline(
    name: str, door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a host whose IPv6 addresses are unreachable."""
    silent = socket.create_server(("127.0.0.2", door.server_address[1]), backlog=0)
    fillers = [socket.socket() for _ in range(3)]
    for each in fillers:
        each.setblocking(False)
        each.connect_ex(silent.getsockname())

    def both(port: int) -> Any:
        stream = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*stream, (address, port)) for address in ("127.0.0.2", "127.0.0.1")]

    _resolve(monkeypatch, both)
    port = door.server_address[1]
    try:
        await ask(made(name, provider, base_url=f"http://{HOST}:{port}", deadline_ms=HANGS_AFTER_SECONDS * 1000))
        assert len(door.asked) == len(provider.requests) == 1
        assert Weir(base_url=f"http://{HOST}:{port}").flush(60_000)
    finally:
        for each in (silent, *fillers):
            each.close()


def test_event_loops_of_many_threads_can_begin_at_the_same_time(door: WeirLike) -> None:
    requests = AsyncHttp(door.url, Http(door.url, None))
    failed: list[BaseException] = []

    async def one() -> None:
        await requests._client(httpx)

    def loops() -> None:
        try:
            for _ in range(30):
                asyncio.run(one())
        except BaseException as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=loops) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failed == []
