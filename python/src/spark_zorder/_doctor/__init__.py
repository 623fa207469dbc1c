# SPDX-License-Identifier: Apache-2.0

"""Checks of an installation and of a table, each for a failure that docs/troubleshooting.md knows, without a JVM."""

from spark_zorder._doctor.finding import OK, PROBLEM, WARNING, Finding
from spark_zorder._doctor.installation import installation
from spark_zorder._doctor.table import table_in

__all__ = ["OK", "PROBLEM", "WARNING", "Finding", "installation", "table_in"]
