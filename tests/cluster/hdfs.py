# SPDX-License-Identifier: Apache-2.0

"""HDFS of this machine: a name node and data nodes, each a process, on addresses of loopback; read without Spark."""

from __future__ import annotations

import getpass
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import pyspark
from daemon import Daemon

from launching import ROOT, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

JARS = ROOT / ".build" / "hdfs" / "jars"
DATA_NODES = 2
_JAVA = "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
_NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
_DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_NAME_NODE_UP = re.compile(r"NameNode RPC up at: \S*:(\d+)\.")
_DATA_NODE_UP = re.compile(r"Block pool .* successfully registered with NN")
_LOG = """rootLogger.level = info
rootLogger.appenderRef.it.ref = it
appender.it.type = Console
appender.it.name = it
appender.it.target = SYSTEM_OUT
appender.it.layout.type = PatternLayout
appender.it.layout.pattern = %d %p %c{1}: %m%n%ex
"""


class Hdfs:
    """All of whose files are in a folder; it is up when this returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._nodes: list[Daemon] = []
        own = {"name.dir": str(folder / "names"), "http-address": "127.0.0.1:0"}
        conf = {f"dfs.namenode.{key}": value for key, value in own.items()}
        command, env = self._java("name-node", conf, "hdfs://127.0.0.1:0")
        formatted = [*command, _NAME_NODE, "-format", "-nonInteractive"]
        done = subprocess.run(formatted, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        try:
            names = Daemon(folder, "name-node", [*command, _NAME_NODE], env, _NAME_NODE_UP)
            self._nodes.append(names)
            assert names.found is not None
            self.url = f"hdfs://127.0.0.1:{names.found[1]}"
            (port,) = re.findall(r"Jetty bound to port (\d+)", names.log())
            self._web = f"http://127.0.0.1:{port}/webhdfs/v1"
            for i in range(DATA_NODES):
                self._nodes.append(self._data_node(i))
        except BaseException:
            self.end()
            raise

    def _data_node(self, number: int) -> Daemon:
        name = f"data-node-{number}"
        own = dict.fromkeys(("address", "http.address", "ipc.address"), "127.0.0.1:0")
        own |= {"hostname": "127.0.0.1", "data.dir": str(self._folder / name / "blocks")}
        command, env = self._java(name, {f"dfs.datanode.{key}": value for key, value in own.items()}, self.url)
        return Daemon(self._folder, name, [*command, _DATA_NODE], env, _DATA_NODE_UP)

    def _java(self, name: str, conf: Mapping[str, str], url: str) -> tuple[list[str], dict[str, str]]:
        """A command without its class, and its environment; makes the configuration."""
        jars = sorted(str(jar) for jar in JARS.glob("*.jar"))
        assert jars, "no jars of HDFS: run `make .build/hdfs/complete`"
        etc = self._folder / name / "etc"
        etc.mkdir(parents=True)
        _configure(etc / "core-site.xml", {"fs.defaultFS": url, "hadoop.tmp.dir": str(self._folder / name / "tmp")})
        _configure(etc / "hdfs-site.xml", conf)
        (etc / "log4j2.properties").write_text(_LOG)
        classes = [str(etc), *jars, str(Path(pyspark.__file__).parent / "jars" / "*")]
        java = ["java", *_JAVA.split(), f"-Djava.io.tmpdir={etc.parent}"]
        return [*java, "-cp", ":".join(classes)], environment()

    def conf(self) -> dict[str, str]:
        """Spark's settings for tables on it: each block is on all data nodes."""
        return {"spark.hadoop.dfs.replication": str(DATA_NODES)}

    def put(self, folder: Path, path: str) -> None:
        """Copies a folder of this machine, whatever is below it."""
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            to = f"{path}/{file.relative_to(folder)}"
            answer = json.loads(self._ask("PUT", to, "CREATE", replication=str(DATA_NODES), noredirect="true"))
            urlopen(Request(answer["Location"], data=file.read_bytes(), method="PUT")).close()  # noqa: S310

    def get(self, path: str, to: Path) -> Path:
        """Copies a folder, its hidden files too, to this machine; returns `to`, which is recreated."""
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        for status in self.list(path):
            name = status["pathSuffix"]
            if status["type"] == "DIRECTORY":
                self.get(f"{path}/{name}", to / name)
            else:
                (to / name).write_bytes(self._ask("GET", f"{path}/{name}", "OPEN"))
        return to

    def list(self, path: str) -> list[dict[str, Any]]:
        """What is in a folder, as WebHDFS tells it."""
        found: list[dict[str, Any]] = json.loads(self._ask("GET", path, "LISTSTATUS"))["FileStatuses"]["FileStatus"]
        return found

    def _ask(self, method: str, path: str, operation: str, **parameters: str) -> bytes:
        query = urlencode({"op": operation, "user.name": getpass.getuser(), **parameters})
        with urlopen(Request(f"{self._web}{quote(path)}?{query}", method=method)) as answer:  # noqa: S310
            body: bytes = answer.read()
        return body

    def end(self) -> None:
        for node in reversed(self._nodes):
            node.end()


def _configure(file: Path, conf: Mapping[str, str]) -> None:
    properties = [f"<property><name>{key}</name><value>{value}</value></property>" for key, value in conf.items()]
    file.write_text(f"<configuration>{''.join(properties)}</configuration>\n")
