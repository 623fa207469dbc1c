# SPDX-License-Identifier: Apache-2.0

"""A Google Cloud Storage of this machine, its requests, and the settings of Google's connector for it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from store import BUCKET, ObjectStore

from launching import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GCS = ROOT / ".build" / "gcs"
FRONT = ROOT / "tests" / "gcs" / "gcs_front.py"
CLASSES = "com.google.cloud.hadoop.fs.gcs"


def gcs_jars() -> list[str]:
    jars = sorted(str(jar) for jar in (GCS / "jars").glob("*.jar"))
    assert jars, "no jar of Google's connector: run `make .build/gcs/complete`"
    return jars


class GcsStore(ObjectStore):
    """A server with one bucket, and what writes its requests down; it is up when this returns."""

    # The second as the connector makes them.
    momentary = (*ObjectStore.momentary, "_GHFS_SYNC_TMP_FILE_")

    def __init__(self, folder: Path, *words: str) -> None:
        super().__init__(folder / "requests.jsonl")
        self._log.touch()
        self._errors = (folder / "server.log").open("w")
        port = free_port()
        behind = f"http://127.0.0.1:{port}"
        front = [sys.executable, str(FRONT), behind, str(self._log), *words]
        self._front = subprocess.Popen(
            front, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        assert self._front.stdout is not None
        self.url = self._front.stdout.readline().strip()
        assert self.url, (folder / "server.log").read_text()
        server = [str(GCS / "bin" / "fake-gcs-server"), "-scheme=http", "-host=127.0.0.1", f"-port={port}"]
        # It names itself in answers by which a client goes on.
        server += ["-backend=memory", "-log-level=error", f"-external-url={self.url}", f"-public-host={self.url[7:]}"]
        self._server = subprocess.Popen(
            server, stdin=subprocess.DEVNULL, stdout=self._errors, stderr=self._errors, cwd=folder
        )
        wait_for(port)
        made = Request(f"{self.url}/storage/v1/b", json.dumps({"name": BUCKET}).encode())  # noqa: S310
        made.add_header("Content-Type", "application/json")
        urlopen(made).close()  # noqa: S310

    def conf(self) -> dict[str, str]:
        """Spark's settings for a session whose `gs://` is this store."""
        own = {
            "gs.impl": f"{CLASSES}.GoogleHadoopFileSystem",
            "AbstractFileSystem.gs.impl": f"{CLASSES}.GoogleHadoopFS",
            "gs.storage.root.url": self.url,
            "gs.auth.type": "UNAUTHENTICATED",
            "gs.project.id": "any",
            # A request that is held is not made again.
            "gs.http.read-timeout": "10m",
            # Hadoop 3.5 has a connector of its own, and for it a default that Google's cannot read: 64m.
            "gs.block.size": str(64 << 20),
        }
        return {f"spark.hadoop.fs.{key}": value for key, value in own.items()}

    def jars(self) -> list[str]:
        return gcs_jars()

    @contextmanager
    def delaying(self, *requests: str) -> Iterator[None]:
        """As `holding`, but at the end of the block the requests are carried out."""
        late = self._log.with_name(self._log.name + ".late")
        late.touch()
        try:
            with self.holding(*requests):
                yield
        finally:
            late.unlink()

    def wait_for_held(self, number: int, seconds: float = 300.0) -> None:
        """Waits until so many requests are held."""
        deadline = time.monotonic() + seconds
        while not self._held.exists() or len(self._held.read_text().splitlines()) < number:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def objects(self, below: str) -> list[str]:
        """All objects below a folder of the bucket, relative to it, also those that stand for folders."""
        root, names, page = f"{below}/", [], ""
        while True:
            query = urlencode({"prefix": root, "maxResults": 1000} | ({"pageToken": page} if page else {}))
            with urlopen(f"{self.url}/storage/v1/b/{BUCKET}/o?{query}") as answer:  # noqa: S310
                found = json.load(answer)
            names += [item["name"].removeprefix(root) for item in found.get("items", [])]
            page = found.get("nextPageToken", "")
            if not page:
                return sorted(names)

    def keys(self, below: str) -> list[str]:
        return [name for name in self.objects(below) if name and not name.endswith("/")]

    def content(self, key: str) -> bytes:
        with urlopen(f"{self._url_of(key)}?alt=media") as answer:  # noqa: S310
            content: bytes = answer.read()
        return content

    def delete(self, key: str) -> None:
        urlopen(Request(self._url_of(key), method="DELETE")).close()  # noqa: S310

    def _url_of(self, key: str) -> str:
        return f"{self.url}/storage/v1/b/{BUCKET}/o/{quote(key, safe='')}"

    def end(self) -> None:
        for process in (self._front, self._server):
            process.terminate()
            process.wait(30)
        self._errors.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_for(port: int, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
