"""The built service in its own process with an embedded database and a simulated provider."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Iterator

REPOSITORY = Path(__file__).parents[4]
NODE = os.environ.get("WEIR_TEST_NODE", str(REPOSITORY / "node_modules/.bin/node"))
NO_LIMITS = {
    f"WEIR_RATE_{name}": "off" for name in ("EVENTS", "PROXY", "CALLS", "MANAGEMENT", "AUTH", "ADDRESS")
}


class Service:
    """A running Weir, its keys, and the requests that its provider received."""

    def __init__(self, url: str, provider: str, seen: str, bootstrap: dict[str, Any], process_id: int) -> None:
        self.url = url
        self.process_id = process_id
        self.provider = provider
        self._seen = seen
        self.keys: dict[str, str] = bootstrap["keys"]
        self.key: str = self.keys["production"]
        self.token: str = bootstrap["token"]
        self.app_id: str = bootstrap["app"]["id"]

    def arrived(self) -> list[Any]:
        with urllib.request.urlopen(self._seen) as answer:
            found: list[Any] = json.load(answer)
            return found

    def get(self, path: str) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


def running(settings: dict[str, str] | None = None) -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder:
        # Only settings of the service, which does not start with unknown ones.
        own = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
        own |= {**NO_LIMITS, "WEIR_OVERLOAD_WAIT": "10m", "HOST": "127.0.0.1", "WEIR_DATA_DIR": folder}
        mock = subprocess.Popen(
            [NODE, str(Path(__file__).with_name("provider.mjs"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert mock.stdout is not None and mock.stdin is not None
        addresses = json.loads(mock.stdout.readline())
        port = _free_port()
        url = f"http://127.0.0.1:{port}"
        own |= {"PORT": str(port), "WEIR_OPENAI_BASE_URL": addresses["url"], "WEIR_ANTHROPIC_BASE_URL": addresses["url"]}
        own |= {"WEIR_GEMINI_BASE_URL": addresses["url"]}
        own |= settings or {}
        with open(Path(folder) / "printed", "w+") as printed:
            weir = subprocess.Popen([NODE, "dist/server/main.js"], cwd=REPOSITORY, env=own, stdout=printed, stderr=printed)
            try:
                _until_ready(url, weir, printed)
                bootstrap = json.loads((Path(folder) / "bootstrap.json").read_text())
                yield Service(url, addresses["url"], addresses["seen"], bootstrap, weir.pid)
            finally:
                weir.terminate()
                weir.wait(60)
                mock.stdin.close()
                mock.wait(60)


def _until_ready(url: str, process: "subprocess.Popen[bytes]", printed: Any) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/readyz"):
                return
        except OSError:
            time.sleep(0.05)
    printed.seek(0)
    raise AssertionError(f"the service did not start:\n{printed.read()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
