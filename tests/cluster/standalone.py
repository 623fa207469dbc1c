# SPDX-License-Identifier: Apache-2.0

"""A standalone cluster of this machine: a master and two workers of one core each, on addresses of loopback."""

from __future__ import annotations

import re
import subprocess
import threading
from pathlib import Path

import pyspark

from launching import environment

# To Spark each of them is another machine.
HOSTS = ("127.0.0.1", "127.0.0.2")
_UP = re.compile(r"Starting Spark master at (?P<url>spark://\S+)|Successfully registered with master")
_PATIENCE = 120  # seconds


class Daemon:
    """A process of the cluster; it is up when this returns."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        self._log = (folder / f"{name}.log").open("a")
        self._up = threading.Event()
        self._found = ""
        small = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
        self._process = subprocess.Popen(
            # This script becomes the JVM, by `exec`.
            [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), *arguments, "--webui-port", "0"],
            cwd=folder,
            env=environment() | small,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._up.wait(_PATIENCE) or not self._found:
            self.end()
            raise AssertionError(f"not up: {(folder / self._log.name).read_text()}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._log.write(line)
            self._log.flush()
            if (found := _UP.search(line)) and not self._found:
                self._found = found["url"] or found[0]
                self._up.set()
        self._up.set()

    @property
    def url(self) -> str:
        """Of a master."""
        return self._found

    def executors(self) -> list[int]:
        """The process ids of a worker's executors."""
        children = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        pids = [int(pid) for file in children for pid in file.read_text().split()]
        return [pid for pid in pids if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def end(self) -> None:
        """Ends it by its process id; a worker ends its executors."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(30)
        self._log.close()


class Cluster:
    """The master and its workers, all of whose files are in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.master = Daemon(
            folder, "master", "org.apache.spark.deploy.master.Master", "--host", HOSTS[0], "--port", "0"
        )
        self.workers: dict[str, Daemon] = {}
        try:
            for host in HOSTS:
                self.start_worker(host)
        except BaseException:
            self.end()
            raise

    @property
    def url(self) -> str:
        return self.master.url

    def start_worker(self, host: str) -> None:
        own = ["--host", host, "--cores", "1", "--memory", "1g", "--work-dir", str(self._folder / f"work-{host}")]
        worker = "org.apache.spark.deploy.worker.Worker"
        self.workers[host] = Daemon(self._folder, f"worker-{host}", worker, *own, self.master.url)

    def end_worker(self, host: str) -> None:
        self.workers.pop(host).end()

    def end(self) -> None:
        for daemon in (*self.workers.values(), self.master):
            daemon.end()


def on_cluster(conf: dict[str, str], url: str) -> dict[str, str]:
    """The settings for a driver that takes all of the cluster, and begins when it has it."""
    return conf | {
        "spark.master": url,
        "spark.cores.max": "2",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.locality.wait": "0s",
    }
