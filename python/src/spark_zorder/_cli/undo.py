# SPDX-License-Identifier: Apache-2.0

"""The commands on the files that rewrites of a Parquet table have replaced, and on its damaged log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._cli.starting import spark_for
from spark_zorder._cli.statements import answer_of, noted
from spark_zorder._cli.target import target_in

if TYPE_CHECKING:
    import argparse

    from spark_zorder._cli.answer import Answer


def rewrites(options: argparse.Namespace) -> Answer:
    """Runs DESCRIBE REWRITES."""
    target = target_in(options)
    with spark_for(options, target) as spark:
        answer = answer_of("rewrites", target.table(spark).rewrites(), table=options.table)
    note = f"No replaced files of {options.table} are kept; optimize --keep-old 7d keeps them."
    return answer if answer.document["rows"] else noted(answer, note)


def restore(options: argparse.Namespace) -> Answer:
    """Runs RESTORE TABLE ... TO BEFORE REWRITE."""
    target = target_in(options)
    with spark_for(options, target) as spark:
        return answer_of("restore", target.table(spark).restoreBefore(options.rewrite), table=options.table)


def vacuum(options: argparse.Namespace) -> Answer:
    """Runs VACUUM ... REPLACED FILES."""
    target = target_in(options)
    with spark_for(options, target) as spark:
        rows = target.table(spark).vacuumReplaced(options.retain_hours, dryRun=options.dry_run)
        answer = answer_of("vacuum", rows, table=options.table)
    note = f"No replaced files of {options.table} are due."
    return answer if answer.document["rows"] else noted(answer, note)


def repair(options: argparse.Namespace) -> Answer:
    """Runs FSCK REPAIR TABLE."""
    target = target_in(options)
    with spark_for(options, target) as spark:
        answer = answer_of("repair", target.table(spark).repair(dryRun=options.dry_run), table=options.table)
    return answer if answer.document["rows"] else noted(answer, f"The log of {options.table} is whole.")
