# SPDX-License-Identifier: Apache-2.0

"""The command that says what is wrong, and what to do next."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from spark_zorder._cli.answer import Answer
from spark_zorder._cli.failures import text_of
from spark_zorder._cli.starting import spark_for
from spark_zorder._cli.target import target_in
from spark_zorder._doctor import OK, PROBLEM, WARNING, Finding, installation, table_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from spark_zorder._cli.target import Target


def doctor(options: argparse.Namespace) -> Answer:
    """Checks the installation, and a table; with `--spark` also a session."""
    target = target_in(options) if options.table else None
    delta, iceberg = bool(options.delta) or _is_delta(target), bool(options.iceberg)
    findings = [] if options.remote else list(installation(delta=delta, iceberg=iceberg))
    if target is not None:
        findings += _of_table(options, target)
    if options.spark:
        findings += _of_session(options, target)
    rows = [asdict(finding) for finding in findings]
    has_problem = any(finding.status == PROBLEM for finding in findings)
    return Answer(
        {"command": "doctor", "table": options.table or None, "rows": rows}, raw=_text(findings), code=int(has_problem)
    )


def _is_delta(target: Target | None) -> bool:
    return target is not None and target.is_delta()


def _of_table(options: argparse.Namespace, target: Target) -> Iterator[Finding]:
    folder = None if options.remote else target.folder()
    if folder is not None:
        yield from table_in(folder)
    elif not options.spark:
        yield Finding("Table", WARNING, f"{target.text} cannot be looked at without Spark", "Add --spark.")


def _of_session(options: argparse.Namespace, target: Target | None) -> Iterator[Finding]:
    """Starts a session, which proves that the jar is loaded: settings alone prove nothing."""
    try:
        with spark_for(options, target) as spark:
            spark.sql("SELECT interleave_bits(1, 2)").collect()
            yield Finding("Session", OK, f"Spark {spark.version} runs with the extension")
            if target is not None:
                columns = target.table(spark).toDF().columns
                yield Finding("Session", OK, f"it reads the columns {', '.join(columns)}")
    except Exception as error:
        yield Finding(
            "Session", PROBLEM, text_of(error), "docs/troubleshooting.md has the causes; --debug shows Spark's log."
        )


def _text(findings: Sequence[Finding]) -> str:
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{finding.status:<{len(PROBLEM)}}  {finding.check:<{width}}  {finding.found}")
        if finding.next:
            lines.append(f"{'':<{len(PROBLEM) + width + 4}}-> {finding.next}")
    return "\n".join(lines)
