# SPDX-License-Identifier: Apache-2.0

"""An object store of this machine, its requests, and the settings of S3A for it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.request import Request, urlopen

import pyarrow.parquet as pq
from pyarrow.fs import FileSelector, S3FileSystem

from launching import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tables import Row

STORES = ROOT / ".build" / "stores"
SERVER = ROOT / "tests" / "stores" / "s3_server.py"
BUCKET = "bucket"


def s3a_jars() -> list[str]:
    jars = sorted(str(jar) for jar in (STORES / "jars").glob("*.jar"))
    assert jars, "no jars of S3A: run `make .build/stores/complete`"
    return jars


class ObjectStore:
    """A store whose server, a process of its own, writes its requests to a log, and holds some where a file says so."""

    # In the names of objects that writers make for a moment.
    momentary: ClassVar[tuple[str, ...]] = ("_temporary",)

    def __init__(self, log: Path) -> None:
        self._log = log

    @contextmanager
    def requests(self) -> Iterator[Requests]:
        """The requests that are answered in the block."""
        start = self._log.stat().st_size
        made = Requests()
        yield made
        with self._log.open() as file:
            file.seek(start)
            made.extend(json.loads(line) for line in file)

    @contextmanager
    def holding(self, *requests: str) -> Iterator[None]:
        """Carries out no request that matches one of the expressions, until the end of the block.

        Args:
            requests: expressions for texts such as `PUT /bucket/t/file?partNumber=1`.
        """
        hold, held = self._log.with_name(self._log.name + ".hold"), self._log.with_name(self._log.name + ".held")
        held.unlink(missing_ok=True)
        hold.write_text("|".join(requests))
        self._held = held
        try:
            yield
        finally:
            hold.unlink()

    def wait_until_held(self, requests: Sequence[str], seconds: float = 300.0) -> None:
        """Waits until a request is held for each of the expressions."""
        deadline = time.monotonic() + seconds
        while True:
            held = self._held.read_text().splitlines() if self._held.exists() else []
            missing = [request for request in requests if not any(re.search(request, text) for text in held)]
            if not missing:
                return
            assert time.monotonic() < deadline, (missing, held)
            time.sleep(0.05)

    def rows_of(self, table: str) -> list[Row]:
        """All rows of a table of `statements`, by their `id`."""
        columns = ["id", "a", "b", "c"]
        files = [BytesIO(self.content(f"{table}/{name}")) for name in self.data_files(table)]
        tables = [pq.read_table(file, columns=columns).to_pydict().values() for file in files]
        return sorted(row for values in tables for row in zip(*values, strict=True))

    def data_files(self, table: str) -> list[str]:
        """Those that count: of a Delta table those of its log, else all in the folder."""
        keys = self.keys(table)
        if not (log := [key for key in keys if key.startswith("_delta_log/") and key.endswith(".json")]):
            return [key for key in keys if "/" not in key and not key.startswith(("_", "."))]
        counted: set[str] = set()
        for key in log:
            actions = [json.loads(line) for line in self.content(f"{table}/{key}").splitlines()]
            counted -= {action["remove"]["path"] for action in actions if "remove" in action}
            counted |= {action["add"]["path"] for action in actions if "add" in action}
        return sorted(counted)

    def left_behind(self, table: str) -> list[str]:
        """Objects that are staged, temporary or in a lock's place."""
        gone = ("_zorder/staging/", "_zorder/locks/", "_zorder/replaced/")
        keys = self.keys(table)
        return [key for key in keys if key.startswith(gone) or any(word in key for word in self.momentary)]

    def keys(self, below: str) -> list[str]:
        """All objects below a folder of the bucket, relative to it; not those that stand for folders."""
        raise NotImplementedError

    def content(self, key: str) -> bytes:
        """An object of the bucket."""
        raise NotImplementedError

    def conf(self) -> dict[str, str]:
        """Spark's settings for a session whose store is this one."""
        raise NotImplementedError

    def jars(self) -> list[str]:
        """Hadoop's client of the store."""
        raise NotImplementedError


class Store(ObjectStore):
    """A server with one bucket; it is up when this returns."""

    def __init__(self, folder: Path, *words: str) -> None:
        super().__init__(folder / "requests.jsonl")
        self._errors = (folder / "server.log").open("w")
        python = STORES / "venv" / "bin" / "python"
        self._process = subprocess.Popen(
            [str(python), str(SERVER), str(self._log), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, (folder / "server.log").read_text()
        self.make_bucket(BUCKET)

    def make_bucket(self, name: str) -> None:
        urlopen(Request(f"{self.url}/{name}", method="PUT")).close()  # noqa: S310

    def conf(self) -> dict[str, str]:
        """Spark's settings for a session whose `s3a://` is this store."""
        own = {
            "endpoint": self.url,
            "endpoint.region": "us-east-1",
            "access.key": "any",
            "secret.key": "any",
            "path.style.access": "true",
            "connection.ssl.enabled": "false",
        }
        return {f"spark.hadoop.fs.s3a.{key}": value for key, value in own.items()}

    def jars(self) -> list[str]:
        return s3a_jars()

    def files(self) -> S3FileSystem:
        """The store, as a reader without Spark sees it."""
        own = {"endpoint_override": self.url, "access_key": "any", "secret_key": "any", "region": "us-east-1"}
        return S3FileSystem(allow_bucket_creation=True, **own)

    def keys(self, below: str) -> list[str]:
        root = f"{BUCKET}/{below}"
        found = self.files().get_file_info(FileSelector(root, recursive=True))
        return sorted(info.path.removeprefix(f"{root}/") for info in found if info.is_file)

    def content(self, key: str) -> bytes:
        with self.files().open_input_stream(f"{BUCKET}/{key}") as stream:
            content: bytes = stream.read()
        return content

    def get(self, below: str, target: Path) -> Path:
        """A copy of a folder of the bucket, without objects that stand for folders; gives the target."""
        for key in self.keys(below):
            (target / key).parent.mkdir(parents=True, exist_ok=True)
            (target / key).write_bytes(self.content(f"{below}/{key}"))
        return target

    def left_behind(self, table: str) -> list[str]:
        """Also uploads that nobody completed or aborted."""
        return super().left_behind(table) + self.uploads(table)

    def uploads(self, below: str) -> list[str]:
        """Keys of multipart uploads that are open."""
        return [key for key, _ in self._uploads(below)]

    def abort_uploads(self, below: str) -> int:
        """Aborts all uploads below a folder, whoever has begun them, as S3A's committers do; answers how many."""
        found = self._uploads(below)
        for key, upload in found:
            urlopen(Request(f"{self.url}/{BUCKET}/{key}?uploadId={upload}", method="DELETE")).close()  # noqa: S310
        return len(found)

    def _uploads(self, below: str) -> list[tuple[str, str]]:
        with urlopen(f"{self.url}/{BUCKET}?uploads") as answer:  # noqa: S310
            text = answer.read().decode()
        keys, ids = re.findall(r"<Key>([^<]*)</Key>", text), re.findall(r"<UploadId>([^<]*)</UploadId>", text)
        return [(key, upload) for key, upload in zip(keys, ids, strict=True) if key.startswith(f"{below}/")]

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._errors.close()


class Requests(list[dict[str, Any]]):
    """Requests as the server has answered them."""

    def by_kind(self) -> Counter[str]:
        return Counter(kind_of(request) for request in self)

    def listed(self) -> Counter[str]:
        """How often each folder was listed, pages of one listing as one; a look for one key is none."""
        return Counter(
            prefix
            for request in self
            if kind_of(request) == "LIST"
            and "max-keys=2&" not in request["query"] + "&"
            and "continuation-token" not in request["query"]
            and (prefix := re.sub(r".*(?:^|&)prefix=([^&]*).*", r"\1", request["query"]))
        )


def kind_of(request: dict[str, Any]) -> str:
    """As S3's prices have them: HEAD, GET, LIST, PUT, COPY, POST, DELETE; or as the server has said it."""
    if "kind" in request:
        return str(request["kind"])
    if request["method"] == "GET" and "list-type" in request["query"]:
        return "LIST"
    return "COPY" if request["copies"] else str(request["method"])
