"""A proxy between a client and the real service.

Tests use it to make the service slow, garbled, refusing or unavailable during calls.
"""

from __future__ import annotations

import http.client
from typing import Any, Callable
from urllib.parse import urlsplit

from .faults import Fault, is_question
from .servers import LocalServer, Seen
from .service import Service


class Between(LocalServer):
    """Forwards requests to the service unless a fault handles them."""

    def __init__(self, service: Service) -> None:
        super().__init__(self._hand_on)
        self.key = service.key
        self._service = urlsplit(service.url).netloc
        self.fault: Fault | None = None
        #: Called after the service has answered a request, before the client receives the response.
        self.answered: Callable[[], None] | None = None

    def _hand_on(self, handler: Any, seen: Seen) -> None:
        if self.fault is not None and self.fault(handler, seen):
            return
        connection = http.client.HTTPConnection(self._service, timeout=60)
        try:
            headers = {name: value for name, value in seen.headers if name.lower() not in ("host", "content-length")}
            connection.request(seen.method, seen.path, seen.body, headers)
            answer = connection.getresponse()
            body = answer.read()
        except OSError:
            handler.cut()
            return
        finally:
            connection.close()
        if self.answered is not None and is_question(seen):
            self.answered()
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in ("content-length", "transfer-encoding", "connection")}
        handler.say(answer.status, body, kept)
