# SPDX-License-Identifier: Apache-2.0

"""Whether the classes of jars link with those of others, without running them: the JVM finds out one call at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from class_files import ABSTRACT, PRIVATE, STATIC, ClassFile, ClassPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

# What Java itself has is not in any jar.
_JAVA = ("java/", "javax/", "jdk/", "sun/", "[")


def faults(ours: Sequence[Path], others: Sequence[Path], checked: Callable[[str], bool] = lambda _: True) -> list[str]:
    """Names what the classes of `ours` use and `others` lack.

    Args:
        ours: jars whose classes are checked.
        others: jars on the class path with them.
        checked: tells by a class's name, written with slashes, whether it is to be checked.

    Returns:
        A line for each class, field or method that is missing, and for each method left abstract; sorted.
    """
    path = ClassPath([*ours, *others])
    return sorted({line for name in ClassPath(ours).names() if checked(name) for line in _faults_of(name, path)})


def _faults_of(name: str, path: ClassPath) -> Iterator[str]:
    own = path.find(name)
    assert own is not None
    for used in own.classes:
        if not used.startswith(_JAVA) and used not in path:
            yield f"{name}: no class {used}"
    for owner, member, descriptor in own.references:
        if owner in path and not _has(owner, member, descriptor, path):
            yield f"{name}: no {owner}.{member} {descriptor}"
    if not own.access & ABSTRACT:
        yield from (f"{name}: {member} {descriptor} is abstract" for member, descriptor in _left_abstract(own, path))


def _lineage(name: str, path: ClassPath) -> Iterator[str]:
    """The class, its superclasses and interfaces."""
    yield name
    found = path.find(name)
    for parent in found.parents if found else ():
        yield from _lineage(parent, path)


def _has(owner: str, member: str, descriptor: str, path: ClassPath) -> bool:
    own = path.find(owner)
    # Constructors are not inherited.
    if member == "<init>" and own is not None:
        return (member, descriptor) in own.members
    for name in _lineage(owner, path):
        found = path.find(name)
        # Of Java's own classes only Object and Enum are near enough to know: others are taken to have it.
        if found is None:
            if name != "java/lang/Object" or member in _OF_OBJECT:
                return True
        elif (member, descriptor) in found.members:
            return True
    return False


_OF_OBJECT = {
    "clone",
    "equals",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
}


def _left_abstract(own: ClassFile, path: ClassPath) -> Iterator[tuple[str, str]]:
    done: set[tuple[str, str]] = set()
    wanted: set[tuple[str, str]] = set()
    for name in _lineage(own.name, path):
        found = path.find(name)
        # An interface of Java's own has abstract methods too; whoever compiled against it has them.
        for member, access in (found.members if found else {}).items():
            if member[1].startswith("(") and not access & (PRIVATE | STATIC):
                (wanted if access & ABSTRACT else done).add(member)
    objects = {(name, descriptor) for name, descriptor in wanted if name in _OF_OBJECT}
    yield from sorted(wanted - done - objects)
