# SPDX-License-Identifier: Apache-2.0

"""A server that answers as S3, in a process of its own; it writes a line of JSON for each request that it has answered.

It runs in the environment `.build/stores/venv`. The arguments are the file of the log and, where the store is to be one
that knows no conditions of writes, `no-conditions`, or `ignores-conditions` where it does not say so.

Requests that match the expression in `<log>.hold` are not carried out: each is noted in `<log>.held`, and answered with
an error when the first file is gone.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from collections.abc import Iterable

REFUSAL = b"<Error><Code>NotImplemented</Code><Message>A header that this store does not know</Message></Error>"
NO_UPLOAD = b"<Error><Code>NoSuchUpload</Code><Message>The specified upload does not exist</Message></Error>"


class Recorded:
    """The store, with the log of its requests."""

    def __init__(self, path: str, *, has_conditions: bool, ignores_conditions: bool) -> None:
        self._store = DomainDispatcherApplication(create_backend_app)
        self._log = Path(path).open("a")  # noqa: SIM115
        self._lock = threading.Lock()
        self._has_conditions = has_conditions
        self._ignores_conditions = ignores_conditions
        self._aborted: set[str] = set()
        self._hold, self._held = Path(path + ".hold"), Path(path + ".held")

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = {
            "method": environ["REQUEST_METHOD"],
            "path": environ["PATH_INFO"],
            "query": environ.get("QUERY_STRING", ""),
            "copies": "HTTP_X_AMZ_COPY_SOURCE" in environ,
            "received": int(environ.get("CONTENT_LENGTH") or 0),
        }

        def respond(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            request["status"] = int(status.split()[0])
            sent = next((int(value) for key, value in headers if key.lower() == "content-length"), 0)
            request["sent"] = 0 if request["method"] == "HEAD" else sent
            with self._lock:
                self._log.write(json.dumps(request) + "\n")
                self._log.flush()
            return start_response(status, headers, *rest)

        if self._is_held(f"{request['method']} {request['path']}?{request['query']}"):
            respond("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        upload = re.search(r"uploadId=([^&]+)", request["query"])
        if upload and request["method"] == "DELETE":
            self._aborted.add(upload[1])
        elif upload and upload[1] in self._aborted:
            # Where moto fails.
            respond("404 Not Found", [("Content-Type", "application/xml"), ("Content-Length", str(len(NO_UPLOAD)))])
            return [NO_UPLOAD]
        if self._ignores_conditions:
            environ.pop("HTTP_IF_NONE_MATCH", None)
        is_condition = "HTTP_IF_NONE_MATCH" in environ and request["method"] in ("PUT", "POST")
        if is_condition and not self._has_conditions:
            respond("501 Not Implemented", [("Content-Type", "application/xml"), ("Content-Length", str(len(REFUSAL)))])
            return [REFUSAL]
        answer: Iterable[bytes] = self._store(environ, respond)
        return answer

    def _is_held(self, request: str) -> bool:
        """Returns when nothing is held any more."""
        if not self._hold.exists() or not re.search(self._hold.read_text(), request):
            return False
        with self._lock, self._held.open("a") as file:
            file.write(request + "\n")
        while self._hold.exists():
            time.sleep(0.02)
        return True


class Quiet(WSGIRequestHandler):
    """Connections that stay open, and nothing on the terminal."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: Any) -> None:
        pass


if __name__ == "__main__":
    log, *words = sys.argv[1:]
    store = Recorded(log, has_conditions="no-conditions" not in words, ignores_conditions="ignores-conditions" in words)
    server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=Quiet)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
