# SPDX-License-Identifier: Apache-2.0

"""Class files in jars, laid out as chapter 4 of the Java virtual machine specification says; names and links only."""

from __future__ import annotations

import struct
import zipfile
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ABSTRACT = 0x0400
PRIVATE = 0x0002
STATIC = 0x0008

_CLASS, _REFERENCES, _NAME_AND_TYPE = 7, (9, 10, 11), 12
# Tag of a constant to the format of what follows it.
_CONSTANTS = {3: "I", 4: "I", 5: "Q", 6: "Q", 7: "H", 8: "H", 9: "HH", 10: "HH", 11: "HH", 12: "HH", 15: "BH"} | {
    16: "H",
    17: "HH",
    18: "HH",
    19: "H",
    20: "H",
}


class Reference(NamedTuple):
    """A field or method that a class uses."""

    owner: str
    name: str
    descriptor: str


class ClassFile(NamedTuple):
    """What a class is called, stands on, has and uses; names with slashes."""

    name: str
    access: int
    parents: tuple[str, ...]
    members: dict[tuple[str, str], int]
    classes: frozenset[str]
    references: frozenset[Reference]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 8

    def take(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values

    def one(self, form: str) -> int:
        return self.take(form)[0]

    def constants(self) -> dict[int, tuple[int, object]]:
        found: dict[int, tuple[int, object]] = {}
        count, index = self.one("H"), 1
        while index < count:
            tag = self.one("B")
            if tag == 1:
                length = self.one("H")
                found[index] = (tag, self.data[self.at : self.at + length].decode(errors="replace"))
                self.at += length
            else:
                found[index] = (tag, self.take(_CONSTANTS[tag]))
            # A long and a double take two places.
            index += 2 if tag in (5, 6) else 1
        return found

    def members(self) -> Iterator[tuple[int, int, int]]:
        for _ in range(self.one("H")):
            access, name, descriptor, attributes = self.take("HHHH")
            for _ in range(attributes):
                _, length = self.take("HI")
                self.at += length
            yield access, name, descriptor


def parse(data: bytes) -> ClassFile:
    """Reads a class file."""
    reader = _Reader(data)
    constants = reader.constants()

    def text(index: int) -> str:
        return str(constants[index][1])

    def name(index: int) -> str:
        return text(constants[index][1][0])  # type: ignore[index]

    def reference(owner: int, name_and_type: int) -> Reference:
        called, descriptor = constants[name_and_type][1]  # type: ignore[misc]
        return Reference(name(owner), text(called), text(descriptor))

    access, own, parent, interfaces = reader.take("HHHH")
    parents = [*([parent] if parent else []), *reader.take("H" * interfaces)]
    members = {(text(n), text(d)): a for _ in range(2) for a, n, d in reader.members()}
    return ClassFile(
        name(own),
        access,
        tuple(name(p) for p in parents),
        members,
        frozenset(name(i) for i, (tag, _) in constants.items() if tag == _CLASS),
        frozenset(reference(*value) for tag, value in constants.values() if tag in _REFERENCES),  # type: ignore[misc]
    )


class ClassPath:
    """The classes of some jars; the first jar that has a class gives it."""

    def __init__(self, jars: Iterable[Path]) -> None:
        self._jars: dict[str, zipfile.ZipFile] = {}
        for jar in jars:
            archive = zipfile.ZipFile(jar)
            for entry in archive.namelist():
                if entry.endswith(".class"):
                    self._jars.setdefault(entry.removesuffix(".class"), archive)
        self.find = cache(self._find)

    def names(self) -> Iterable[str]:
        return self._jars

    def __contains__(self, name: str) -> bool:
        return name in self._jars

    def _find(self, name: str) -> ClassFile | None:
        return parse(self._jars[name].read(f"{name}.class")) if name in self._jars else None
