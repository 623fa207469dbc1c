# SPDX-License-Identifier: Apache-2.0

"""What stands before a server that answers as Google Cloud Storage; it writes a line of JSON for each answered request.

The arguments are the URL of that server, the file of the log and, where the store is to be one that knows no conditions
of writes, `ignores-conditions`.

That server compares generations of uploads only: here those of moves, copies, compositions and deletions are compared.
A move, which it does not know, is made of a copy and a deletion.

Requests that match the expression in `<log>.hold` are not carried out: each is noted in `<log>.held`, and its
connection is closed when the first file is gone. Those that are held while `<log>.late` is there are carried out then.
"""

from __future__ import annotations

import gzip
import http.client
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

OF_A_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "date", "server"}
MOVE = re.compile(r"^(.*/b/([^/]+)/o/[^/?]+)/moveTo/o/([^/?]+)")
OBJECT = re.compile(
    r"^/(?:download/)?storage/v1/b/([^/]+)/o/([^/?]+)(?:/(?:(moveTo|copyTo|rewriteTo)(?:/b/[^/]+)?/o/([^/?]+)|(compose)))?"
)
FAILED = b'{"error": {"code": 412, "message": "conditionNotMet", "errors": [{"reason": "conditionNotMet"}]}}'


class Front(ThreadingHTTPServer):
    """The server, with the log of its requests."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, behind: str, log: str, *, ignores_conditions: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = urlsplit(behind).netloc
        self.ignores_conditions = ignores_conditions
        self.changing = threading.Lock()
        self._log = Path(log).open("a")  # noqa: SIM115
        self._lock = threading.Lock()
        self._hold, self._held, self._late = (Path(f"{log}.{word}") for word in ("hold", "held", "late"))

    def note(self, request: dict[str, Any]) -> None:
        with self._lock:
            self._log.write(json.dumps(request) + "\n")
            self._log.flush()

    def is_held(self, request: str) -> bool:
        """Returns when nothing is held any more; answers whether the request is not to be carried out."""
        if not self._hold.exists() or not re.search(self._hold.read_text(), request):
            return False
        with self._lock, self._held.open("a") as file:
            is_late = self._late.exists()
            file.write(request + "\n")
        while self._hold.exists():
            time.sleep(0.02)
        return not is_late

    def handle_error(self, *_: Any) -> None:
        """A client that was killed closes its connections."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Front
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self._upstream = http.client.HTTPConnection(self.server.behind, timeout=600)

    def finish(self) -> None:
        self._upstream.close()
        super().finish()

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""

    def _serve(self) -> None:
        body = self._body()
        kind, name = kind_and_object(self.command, self.path, self._plain(body))
        if self.server.is_held(f"{kind} {name}"):
            self.close_connection = True
            return
        status, headers, content = self._answer(body)
        note = {"kind": kind, "object": name, "method": self.command, "path": self.path, "status": status}
        if kind == "BATCH":
            note["parts"] = len(re.findall(rb"^[A-Z]+ /", body, re.MULTILINE))
        self.server.note(note | {"received": len(body), "sent": len(content)})
        self.send_response_only(status)
        for key, value in headers:
            if key.lower() not in OF_A_HOP:
                self.send_header(key, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _serve

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _plain(self, body: bytes) -> bytes:
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _answer(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        target = self.path
        if self.server.ignores_conditions:
            target = re.sub(r"(?<=[?&])if(Source)?GenerationMatch=\d+&?", "", target)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in OF_A_HOP} | {"Host": self.headers["Host"]}
        if self.command == "GET":
            return self._ask("GET", target, body, headers)
        with self.server.changing:
            if not self._are_conditions_met(target):
                return 412, [("Content-Type", "application/json")], FAILED
            move = MOVE.match(target)
            if not move:
                return self._ask(self.command, target, body, headers)
            plain = {"Host": headers["Host"], "Content-Type": "application/json"}
            answer = self._ask("POST", f"{move[1]}/copyTo/b/{move[2]}/o/{move[3]}", b"{}", plain)
            if answer[0] == 200:
                self._ask("DELETE", move[1], b"", plain)
            return answer

    def _are_conditions_met(self, target: str) -> bool:
        query = parse_qs(urlsplit(target).query)
        found = OBJECT.match(target)
        if not found:
            return True
        bucket, source, _, renamed, _ = found.groups()
        of = {"ifSourceGenerationMatch": source, "ifGenerationMatch": renamed or source}
        return all(self._generation(bucket, of[key]) == query[key][0] for key in of if key in query)

    def _generation(self, bucket: str, name: str) -> str:
        status, _, content = self._ask("GET", f"/storage/v1/b/{bucket}/o/{name}", b"", {"Host": self.headers["Host"]})
        return json.loads(content)["generation"] if status == 200 else "0"

    def _ask(
        self, method: str, target: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        self._upstream.request(method, target, body, headers)
        answer = self._upstream.getresponse()
        return answer.status, answer.getheaders(), answer.read()


def kind_and_object(method: str, target: str, body: bytes) -> tuple[str, str]:
    """What is asked for, and the object: of a listing its prefix, of a copy or move that of the new one."""
    url = urlsplit(target)
    query = {key: values[0] for key, values in parse_qs(url.query).items()}
    if url.path.startswith("/upload/"):
        name = query.get("name") or next(iter(re.findall(rb'"name":\s*"([^"]*)"', body[:20000])), b"").decode()
        return ("START" if query.get("uploadType") == "resumable" and method == "POST" else "UPLOAD"), name
    if url.path.startswith("/batch/"):
        return "BATCH", ""
    found = OBJECT.match(url.path)
    if not found:
        return ("LIST" if url.path.endswith("/o") else "BUCKET"), query.get("prefix", "")
    _, name, made, other, composed = found.groups()
    if made:
        return ("MOVE" if made == "moveTo" else "COPY"), unquote(other)
    if composed:
        return "COMPOSE", unquote(name)
    is_read = method == "GET" and (query.get("alt") == "media" or url.path.startswith("/download/"))
    return ("READ" if is_read else method), unquote(name)


if __name__ == "__main__":
    behind, log, *words = sys.argv[1:]
    front = Front(behind, log, ignores_conditions="ignores-conditions" in words)
    print(f"http://127.0.0.1:{front.server_port}", flush=True)
    front.serve_forever()
