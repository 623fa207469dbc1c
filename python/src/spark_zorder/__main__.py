# SPDX-License-Identifier: Apache-2.0

"""The command line: `spark-zorder`, or `python -m spark_zorder`."""

from __future__ import annotations

import sys

from spark_zorder._cli import main

if __name__ == "__main__":
    sys.exit(main())
