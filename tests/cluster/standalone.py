# SPDX-License-Identifier: Apache-2.0

"""A standalone cluster of this machine: a master and two workers of one core each, on addresses of loopback."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pyspark
from daemon import Daemon

from launching import environment

# To Spark each of them is another machine.
HOSTS = ("127.0.0.1", "127.0.0.2")
_UP = re.compile(r"Starting Spark master at (?P<url>spark://\S+)|Successfully registered with master")


class SparkDaemon(Daemon):
    """A master or a worker."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        options = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dspark.decommission.enabled=true"
        # A master gives up a driver when ten of its executors have ended, which on a busy machine are started in vain.
        options += " -Dspark.deploy.maxExecutorRetries=-1"
        small = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": options}
        # This script becomes the JVM, by `exec`.
        command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), *arguments, "--webui-port", "0"]
        super().__init__(folder, name, command, environment() | small, _UP)

    @property
    def url(self) -> str:
        """Of a master."""
        assert self.found is not None
        return self.found["url"]

    def executors(self) -> list[int]:
        """The process ids of a worker's executors."""
        children = Path(f"/proc/{self.pid}/task").glob("*/children")
        pids = [int(pid) for file in children for pid in file.read_text().split()]
        return [pid for pid in pids if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def decommission(self) -> None:
        """Tells a worker that its machine goes: it gets nothing to do any more, and its executors move their blocks."""
        self.signal(signal.SIGPWR)


class Cluster:
    """The master and its workers, all of whose files are in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        master = "org.apache.spark.deploy.master.Master"
        self.master = SparkDaemon(folder, "master", master, "--host", HOSTS[0], "--port", "0")
        self.workers: dict[str, SparkDaemon] = {}
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
        self.workers[host] = SparkDaemon(self._folder, f"worker-{host}", worker, *own, self.master.url)

    def executors(self) -> list[int]:
        """The process ids of all executors."""
        return [pid for worker in self.workers.values() for pid in worker.executors()]

    def executor_logs(self, host: str) -> str:
        """What all executors of a worker have said so far."""
        return "".join(log.read_text() for log in (self._folder / f"work-{host}").glob("app-*/*/stderr"))

    def end_worker(self, host: str) -> None:
        """Its executors end with it."""
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
